/** The style sheets of the first load, in the order of their precedence. */
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles/default-css-variables.css';
import '@mantine/core/styles/baseline.css';
import '@mantine/core/styles/global.css';
import '@mantine/core/styles.css';
import '@mantine/notifications/styles.css';
import './theme.css';
