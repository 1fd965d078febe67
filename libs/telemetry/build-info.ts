import { PACKAGE } from '@app/config/project-root';
import type { Metrics } from './metrics';

/** Adds which release runs, as labels of a 1. */
export function describeBuild(metrics: Metrics): void {
  const labels = { version: PACKAGE.version, node: process.versions.node };
  metrics.gauge('greenroom_build_info', 'The release that runs, and its Node.', () => [{ labels, value: 1 }]);
}
