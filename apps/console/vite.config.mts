import react from '@vitejs/plugin-react';
import { join } from 'node:path';
import { defineConfig } from 'vite';

const root = join(import.meta.dirname, '../..');

/** `npx vite apps/console` serves the console alone, on the api of a running Greenroom. */
export default defineConfig({
  base: '/console/',
  plugins: [react()],
  resolve: { alias: { '@app': join(root, 'libs') } },
  html: { cspNonce: '__CSP_NONCE__' },
  build: {
    outDir: join(root, 'dist/console'),
    emptyOutDir: true,
    // Inlined pieces would need exceptions from the content security policy.
    assetsInlineLimit: 0,
    manifest: '.manifest.json',
    chunkSizeWarningLimit: 700,
    reportCompressedSize: false,
    // What most screens share is one file, and so is what some share of ours: a file of its own for each module costs a browser
    // 50 requests before its first screen. What brings menus and drop-down lists along is not for every screen.
    rolldownOptions: {
      output: {
        codeSplitting: {
          groups: [
            // Runs as soon as it has been fetched: what all screens share takes long to read.
            {
              name: 'first-screen',
              test: /console\/src\/(first-screen|screens)|preload-helper/,
              priority: 4,
            },
            { name: 'main', tags: ['$initial'], test: /(?<!index\.html)$/, priority: 3 },
            { name: 'shared', minShareCount: 24, priority: 2 },
            {
              name: 'parts',
              minShareCount: 4,
              priority: 1,
              test: /console\/src\/(api|components)\/(?!actions-menu|choice)/,
            },
          ],
        },
      },
    },
  },
  server: { proxy: { '/admin': 'http://127.0.0.1:3000', '/readyz': 'http://127.0.0.1:3000' } },
});
