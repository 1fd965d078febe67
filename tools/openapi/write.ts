import 'reflect-metadata';
import { writeFileSync } from 'node:fs';
import { BUILT_PUBLIC_OPENAPI_FILE, OPENAPI_FILE, PUBLIC_OPENAPI_FILE } from '../../libs/config/openapi-file';
import { allControllers } from './all-controllers';
import { describeApi } from './document';

/** With `--public`, the file of the repository is written as well. */
const { whole, forCustomers } = describeApi(allControllers());
const write = (file: string, document: object) =>
  writeFileSync(file, `${JSON.stringify(document, null, 2)}\n`);

write(OPENAPI_FILE, whole);
write(BUILT_PUBLIC_OPENAPI_FILE, forCustomers);
if (process.argv.includes('--public')) write(PUBLIC_OPENAPI_FILE, forCustomers);
