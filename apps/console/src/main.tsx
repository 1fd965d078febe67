import './first-screen';
import { localStorageColorSchemeManager, MantineProvider } from '@mantine/core';
import { QueryClientProvider } from '@tanstack/react-query';
import { RouterContextProvider, RouterProvider } from '@tanstack/react-router';
import { createRoot } from 'react-dom/client';
import './styles';
import { queryClient } from './api/client';
import { sendByKeyboard } from './components/send-by-keyboard';
import { nonce } from './nonce';
import { prefetchScreens } from './prefetch-screens';
import { fetchTogether, router } from './router';
import { Gates } from './session/gates';
import { cssVariables, theme } from './theme';

sendByKeyboard();
fetchTogether();
prefetchScreens();

const colorSchemes = localStorageColorSchemeManager({ key: 'greenroom.color-scheme' });

createRoot(document.getElementById('root')!).render(
  <MantineProvider
    theme={theme}
    cssVariablesResolver={cssVariables}
    deduplicateCssVariables={false}
    colorSchemeManager={colorSchemes}
    defaultColorScheme="auto"
    getStyleNonce={() => nonce}
  >
    <QueryClientProvider client={queryClient}>
      <RouterProvider router={router} />
      <RouterContextProvider router={router}>
        <Gates />
      </RouterContextProvider>
    </QueryClientProvider>
  </MantineProvider>,
);
