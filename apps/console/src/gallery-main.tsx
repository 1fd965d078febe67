import { MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import {
  createMemoryHistory,
  createRootRoute,
  createRoute,
  createRouter,
  RouterProvider,
} from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import './styles';
import './audit-log/events.css';
import './home/home.css';
import './voices/voices.css';
import { ME_KEY, queryClient } from './api/client';
import { cssVariables, theme } from './theme';
import { Gallery } from './gallery/gallery';

queryClient.setQueryData(ME_KEY, {
  id: 'me',
  name: 'Ana Keller',
  role: 'support',
  permissions: [],
});

const root = createRootRoute({ component: Gallery });
const routeTree = root.addChildren([createRoute({ getParentRoute: () => root, path: '/$' })]);
const router = createRouter({ routeTree, history: createMemoryHistory({ initialEntries: ['/'] }) });

createRoot(document.getElementById('root')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    deduplicateCssVariables={false}
    defaultColorScheme="auto"
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router as never} />
    </QueryClientProvider>
  </MantineProvider>,
);
