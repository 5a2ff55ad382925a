// First, so that the styles of our own components take precedence.
import './shell/styles.js';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { App } from './shell/App.js';
import { router } from './shell/router.js';

const root = document.querySelector('#root');
if (root === null) throw new Error('The page has no element for the console');
createRoot(root).render(
  <StrictMode>
    <App>
      <RouterProvider router={router} />
    </App>
  </StrictMode>,
);
