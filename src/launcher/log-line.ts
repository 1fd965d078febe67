/** Fields that have their own place in a line, or mean nothing to people. */
const PLACED = new Set(['level', 'timestamp', 'message', 'context', 'pid', 'stack', 'error', 'params']);
/** Contexts in which the framework logs how it starts, which an operator does not need. */
const FRAMEWORK = new Set([
  'NestFactory',
  'InstanceLoader',
  'RoutesResolver',
  'RouterExplorer',
  'NestApplication',
]);
const LEVEL_COLOURS: Record<string, number> = { warn: 33, error: 31, fatal: 31, debug: 90, verbose: 90 };

interface Paint {
  paint(colour: number, text: string): string;
}

interface LogRecord {
  level: string;
  timestamp: number;
  message: unknown;
  context?: string;
  stack?: unknown;
  error?: { name?: string; message?: string; stack?: string };
  params?: Record<string, unknown>;
}

/** A log line of a child process as lines for people. A line that is not a JSON log line stays as it is. */
export function renderLogLine(line: string, terminal: Paint): string[] {
  const record = parseRecord(line);
  if (!record) return [line];
  if (record.level === 'log' && FRAMEWORK.has(record.context ?? '')) return [];
  const time = new Date(record.timestamp).toTimeString().slice(0, 8);
  const level = (record.level === 'log' ? 'info' : record.level).padEnd(5);
  const colour = LEVEL_COLOURS[record.level];
  const parts = [
    terminal.paint(90, time),
    colour ? terminal.paint(colour, level) : level,
    ...(record.context ? [terminal.paint(90, `${record.context}:`)] : []),
    typeof record.message === 'string' ? record.message : JSON.stringify(record.message),
    terminal.paint(90, renderFields({ ...record, ...record.params })),
  ];
  return [parts.filter(Boolean).join(' '), ...renderStack(record)];
}

/** Whether a line is a JSON line of a process's log. */
export function isLogLine(line: string): boolean {
  return parseRecord(line) !== null;
}

function parseRecord(line: string): LogRecord | null {
  if (!line.startsWith('{')) return null;
  try {
    const record = JSON.parse(line) as Partial<LogRecord>;
    const complete =
      typeof record.level === 'string' && typeof record.timestamp === 'number' && 'message' in record;
    return complete ? (record as LogRecord) : null;
  } catch {
    return null;
  }
}

function renderFields(fields: Record<string, unknown>): string {
  return Object.entries(fields)
    .filter(([name, value]) => !PLACED.has(name) && value !== undefined && value !== null)
    .map(([name, value]) => `${name}=${renderValue(value)}`)
    .join(' ');
}

function renderValue(value: unknown): string {
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return /[\s"]/.test(text) && typeof value === 'string' ? JSON.stringify(text) : text;
}

function renderStack({ stack, error, message }: LogRecord): string[] {
  const input = [stack].flat().find((part) => typeof part === 'string');
  const lines = (input ?? error?.stack ?? '').split('\n').filter(Boolean);
  return lines.filter((text) => text !== message).map((text) => `  ${text.trimStart()}`);
}
