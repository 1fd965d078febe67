import { isLogLine, renderLogLine } from './log-line';

/** The parts that write to the terminal. */
type Speaker = 'greenroom' | 'postgres' | 'api' | 'worker' | 'self-check';

const COLOURS: Record<Speaker, number> = {
  greenroom: 32,
  postgres: 34,
  api: 36,
  worker: 35,
  'self-check': 33,
};
const WIDTH = Math.max(...Object.keys(COLOURS).map((name) => name.length));

/** Writes lines for people, with a prefix per part, coloured when they watch; or JSON lines for a collector. */
export class Terminal {
  readonly colours: boolean;

  constructor(
    private readonly format: 'json' | 'text' = 'text',
    private readonly out: NodeJS.WritableStream = process.stdout,
  ) {
    const tty = out as Partial<NodeJS.WriteStream>;
    this.colours = format === 'text' && Boolean(tty.isTTY && tty.hasColors?.());
  }

  /** Something that the launcher has to say. */
  line(speaker: Speaker, text: string): void {
    this.out.write(
      this.format === 'json'
        ? `${describeLine(speaker, text)}\n`
        : `${this.paint(COLOURS[speaker], `${speaker.padEnd(WIDTH)} |`)} ${text}\n`,
    );
  }

  /** A line of a process's log, which writes JSON lines itself. */
  logLine(speaker: Speaker, line: string): void {
    if (this.format === 'json' && isLogLine(line)) this.out.write(`${line}\n`);
    else for (const text of renderLogLine(line, this)) this.line(speaker, text);
  }

  /** Text to copy. */
  plain(text: string): void {
    this.out.write(this.format === 'json' ? `${describeLine('greenroom', text)}\n` : `${text}\n`);
  }

  paint(colour: number, text: string): string {
    return this.colours ? `\u001B[${colour}m${text}\u001B[39m` : text;
  }
}

/** As the processes write theirs. */
function describeLine(context: Speaker, message: string): string {
  const { pid } = process;
  return JSON.stringify({ level: 'log', pid, timestamp: Date.now(), message, context });
}
