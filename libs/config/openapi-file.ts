import { PROJECT_ROOT } from '@app/config/project-root';
import { join } from 'node:path';

/** The description of the API: generated from the code by `npm run openapi`, kept beside it. */
export const OPENAPI_FILE = join(PROJECT_ROOT, 'openapi.json');
