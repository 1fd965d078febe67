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
import '../../../apps/console/src/styles';
import '../../../apps/console/src/audit-log/events.css';
import '../../../apps/console/src/home/home.css';
import '../../../apps/console/src/voices/voices.css';
import { ME_KEY, queryClient } from '../../../apps/console/src/api/client';
import { cssVariables, theme } from '../../../apps/console/src/theme';
import { Gallery } from './gallery';

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
