import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { openModel, type ModelShape, type RunModel } from './onnx-runtime';

/** A model that was loaded from a file. */
export interface LoadedModel<Kind extends string> {
  /** Its file name and the beginning of its SHA-256. */
  name: string;
  kind: Kind;
  run: RunModel;
}

/**
 * The model of a thread: loaded when it is first needed, and again after a failure, because its file may be back.
 *
 * @param kinds shapes that are accepted, see `openModel`
 * @param mostBytes a file of any size would become memory of any size
 */
export class ModelFile<Kind extends string> {
  private loading: Promise<LoadedModel<Kind>> | undefined;

  constructor(
    private readonly kinds: Record<Kind, ModelShape>,
    private readonly mostBytes: number,
  ) {}

  /** @throws Error that says what is wrong with the file */
  load(path: string): Promise<LoadedModel<Kind>> {
    this.loading ??= this.read(path).catch((error: unknown) => {
      this.loading = undefined;
      throw error;
    });
    return this.loading;
  }

  private async read(path: string): Promise<LoadedModel<Kind>> {
    const { size } = await stat(path);
    if (size > this.mostBytes)
      throw new Error(`it has ${size} bytes, more than the ${this.mostBytes} accepted`);
    const bytes = await readFile(path);
    const digest = createHash('sha256').update(bytes).digest('hex');
    return { name: `${basename(path)} ${digest.slice(0, 12)}`, ...(await openModel(bytes, this.kinds)) };
  }
}
