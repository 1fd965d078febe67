import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../../libs/config/openapi-file';
import { describeApi } from './document';
import { allControllers } from './all-controllers';

writeFileSync(OPENAPI_FILE, `${JSON.stringify(describeApi(allControllers()), null, 2)}\n`);
