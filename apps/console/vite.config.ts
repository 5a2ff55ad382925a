import { writeFile } from 'node:fs/promises';
import path from 'node:path';
import { recordInputs } from '@gatehouse/bundle/inputs';
import { writeNotices } from '@gatehouse/bundle/notices';
import { defineConfig, type Plugin } from 'vite';

/**
 * Writes the licences of the packages that the files contain, and the record of what they were made of, with
 * which `npm start` decides whether to build again.
 */
function describeBundle(): Plugin {
  return {
    name: 'describe-bundle',
    apply: 'build',
    async writeBundle({ dir = 'dist' }) {
      const files = [...this.getModuleIds()].map((id) => id.replace(/\?.*$/, ''));
      const modules = [...new Set(files)].filter((file) => path.isAbsolute(file));
      await writeFile(path.join(dir, 'THIRD-PARTY-NOTICES.txt'), await writeNotices(modules));
      await recordInputs(path.join(dir, 'inputs.json'), [...modules, import.meta.filename]);
    },
  };
}

export default defineConfig({
  base: '/console/',
  plugins: [describeBundle()],
  build: {
    // The gateway lets browsers keep the files of this folder forever: their names contain a hash.
    assetsDir: 'chunks',
    // A content security policy that forbids data addresses of fonts also forbids inlined ones.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    manifest: true,
    target: 'es2022',
    reportCompressedSize: false,
    rolldownOptions: {
      onwarn(warning, warn) {
        // Mantine marks its components for servers; here everything runs in the browser.
        if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning);
      },
    },
  },
});
