import { dropPostgresVariables } from '@app/config/app-config';
import { runCommandLine } from './cli/command-line';

/** Runs the command line of this process. */
export async function runProgram(): Promise<void> {
  dropPostgresVariables();
  await runCommandLine(process.argv);
}
