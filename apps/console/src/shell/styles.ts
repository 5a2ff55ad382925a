/**
 * The style sheets of the first load. Those of Mantine are in a layer, so that our own take precedence in
 * whichever order the files of screens are loaded.
 */
import '@fontsource-variable/inter/wght.css';
import '@mantine/core/styles.layer.css';
import '@mantine/notifications/styles.layer.css';
import './theme.css';
