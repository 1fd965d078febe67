import { defineConfig } from 'vite';
import base from './vite.config.mts';

/** The parts that screens share, each once: `npx vite apps/console --config apps/console/vite.gallery.config.mts`. No user loads it. */
export default defineConfig({
  ...base,
  base: '/',
  build: {
    ...base.build,
    manifest: false,
    rolldownOptions: { input: `${import.meta.dirname}/gallery.html` },
  },
});
