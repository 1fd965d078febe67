import { defineConfig } from 'vite';
import base from '../../../apps/console/vite.config.mts';

/** The parts that screens share, each once: `npx vite test/browser/gallery`. No user loads it. */
export default defineConfig({
  ...base,
  base: '/',
  publicDir: `${import.meta.dirname}/../../../apps/console/public`,
  build: { ...base.build, manifest: false, rolldownOptions: {} },
});
