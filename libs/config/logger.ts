import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import { isatty } from 'node:tty';
import type { AppConfig } from './app-config';

/** Least severe last. */
const LEVELS: LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/** Nest writes times as in the United States, without a zone. */
class ServerLog extends ConsoleLogger {
  protected override getTimestamp(): string {
    return new Date().toISOString();
  }
}

/**
 * The log of a process: JSON lines, or text for people (in colours on a terminal), from `LOG_LEVEL` upwards.
 *
 * @param prefix which process writes: `api`, `worker` …
 */
export function createLogger(config: AppConfig, prefix: string): ConsoleLogger {
  const isText = config.logFormat === 'text';
  return new ServerLog({
    prefix,
    json: !isText,
    colors: isText && isatty(1) && process.stdout.hasColors(),
    logLevels: LEVELS.slice(0, LEVELS.indexOf(config.logLevel) + 1),
  });
}
