/** The compose file, and the users of its MongoDB. */
import { PROCESS_NAMES, processEntry, SERVICE_NAMES, serviceEntry } from '@gatehouse/contract';
import { fileWithRegions } from './regions.mjs';

/** @typedef {import('@gatehouse/contract').ProcessName} ProcessName */

/** The variables with the addresses of the services inside a network of containers. */
export function addresses() {
  return SERVICE_NAMES.map((name) => `${name.toUpperCase()}_URL: ws://${name}:8080`).join('\n');
}

/** @param {ProcessName} name */
function composeService(name) {
  const { volume } = processEntry(name).deployment;
  const lines = [
    `${name}:`,
    '  <<: *service',
    `  image: gatehouse/${name}:local`,
    `  build: { context: .., dockerfile: infra/Dockerfile, args: { <<: *bases, SERVICE: ${name} } }`,
    `  env_file: k8s/overlays/local/secrets/${name}.env`,
  ];
  if (name === 'gateway') lines.push("  ports: ['127.0.0.1:${PORT:-8080}:8080']");
  if (volume !== undefined)
    lines.push(
      `  environment: { <<: *settings, ${volume.setting}: ${volume.path} }`,
      `  volumes: ['${volume.name}:${volume.path}']`,
      '  depends_on:',
      '    <<: *stores',
      `    ${volume.name}: { condition: service_completed_successfully }`,
    );
  return lines.join('\n');
}

/** The databases of the services with their users. */
function databaseUsers() {
  const users = SERVICE_NAMES.map((name) => `${name}: 'gatehouse_${serviceEntry(name).database}'`);
  return `const databases = { ${users.join(', ')} };`;
}

export function composeFiles() {
  return [
    fileWithRegions('infra/compose.yaml', {
      addresses: addresses(),
      processes: PROCESS_NAMES.map(composeService).join('\n'),
    }),
    fileWithRegions('infra/k8s/overlays/local/createUsers.js', { databases: databaseUsers() }),
  ];
}
