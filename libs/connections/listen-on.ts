import { ConfigError } from '@app/config/app-config';
import type { VariableName } from '@app/config/variables';
import { once } from 'node:events';
import type { Server } from 'node:net';
import { keepServing } from './keep-serving';

/**
 * Has a server listen on the port of a variable.
 *
 * @throws ConfigError naming the variable when the port cannot be had
 */
export async function listenOn(
  server: Server,
  { port, host }: { port: number; host: string },
  variable: VariableName,
): Promise<void> {
  keepServing(server);
  server.listen(port, host);
  try {
    await once(server, 'listening');
  } catch (error) {
    throw new ConfigError([`${variable}: ${problemOf(error as NodeJS.ErrnoException, port, host)}`]);
  }
}

function problemOf({ code, message }: NodeJS.ErrnoException, port: number, host: string): string {
  if (code === 'EADDRINUSE')
    return `port ${port} is in use at ${host}; give another one, or 0 for any free port.`;
  if (code === 'EACCES') return `port ${port} needs more rights; give one from 1024 upwards.`;
  return `port ${port} cannot be listened on at ${host}: ${message}.`;
}
