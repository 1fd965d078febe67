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

/** Writes lines with a prefix per part, coloured when people watch. */
export class Terminal {
  readonly colours: boolean;

  constructor(private readonly out: NodeJS.WritableStream = process.stdout) {
    const tty = out as Partial<NodeJS.WriteStream>;
    this.colours = Boolean(tty.isTTY && tty.hasColors?.());
  }

  line(speaker: Speaker, text: string): void {
    this.out.write(`${this.paint(COLOURS[speaker], `${speaker.padEnd(WIDTH)} |`)} ${text}\n`);
  }

  /** A line without prefix, for text to copy. */
  plain(text: string): void {
    this.out.write(`${text}\n`);
  }

  paint(colour: number, text: string): string {
    return this.colours ? `\u001B[${colour}m${text}\u001B[39m` : text;
  }
}
