import { ConsoleFiles } from './console-files';
import { ConsoleService } from './console.service';
import { PublicConsoleController } from './public-console.controller';

export const CONSOLE_CONTROLLERS = [PublicConsoleController];
export const CONSOLE_PROVIDERS = [ConsoleFiles, ConsoleService];
