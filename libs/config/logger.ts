import { ConsoleLogger, type LogLevel } from '@nestjs/common';
import type { AppConfig } from './app-config';

/** Least severe last. */
const LEVELS: LogLevel[] = ['fatal', 'error', 'warn', 'log', 'debug', 'verbose'];

/**
 * The log of a process: JSON lines, or text for people, from `LOG_LEVEL` upwards.
 *
 * @param prefix which process writes: `api`, `worker` …
 */
export function createLogger(config: AppConfig, prefix: string): ConsoleLogger {
  return new ConsoleLogger({
    prefix,
    json: config.logFormat !== 'text',
    colors: config.logFormat === 'text',
    logLevels: LEVELS.slice(0, LEVELS.indexOf(config.logLevel) + 1),
  });
}
