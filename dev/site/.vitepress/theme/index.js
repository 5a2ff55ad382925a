import DefaultTheme from 'vitepress/theme-without-fonts';
import { onMounted, watch, nextTick } from 'vue';
import { useData, useRoute } from 'vitepress';

/** Draws the diagrams of a page in the colors of the theme. */
async function draw(isDark) {
  const elements = [...document.querySelectorAll('.mermaid')];
  if (elements.length === 0) return;
  const { default: mermaid } = await import('mermaid');
  mermaid.initialize({ startOnLoad: false, theme: isDark ? 'dark' : 'default' });
  for (const element of elements) {
    element.dataset.source ??= element.textContent;
    element.textContent = element.dataset.source;
    delete element.dataset.processed;
  }
  await mermaid.run({ nodes: elements });
}

export default {
  extends: DefaultTheme,
  setup() {
    const route = useRoute();
    const { isDark } = useData();
    const redraw = () => nextTick(() => draw(isDark.value));
    onMounted(redraw);
    watch([() => route.path, isDark], redraw);
  },
};
