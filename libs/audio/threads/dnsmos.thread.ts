import type { SecondOpinion } from '@app/domain/reviews/second-opinion';
import { createHash } from 'node:crypto';
import { readFile, stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { toAcr, WINDOW_SAMPLES } from '../measures/dnsmos-windows';
import { openRowModel, type RowModel } from './onnx-runtime';

/** The model that is meant has 1.2 MB; a file of any size would become memory of any size. */
const LARGEST_MODEL_BYTES = 50_000_000;
const SCORES = 3;

interface NamedModel {
  name: string;
  listen: RowModel;
}

let opening: Promise<NamedModel> | undefined;

/** The name of a model that runs; throws in words for people when it does not. */
export async function check({ path }: { path: string }): Promise<string> {
  const { name, listen } = await model(path);
  await listen(new Float32Array(WINDOW_SAMPLES));
  return name;
}

/** The mean of what the model says of each window. */
export async function score(task: { path: string; windows: Float32Array }): Promise<SecondOpinion> {
  const { name, listen } = await model(task.path);
  const windows = task.windows.length / WINDOW_SAMPLES;
  const mean = { sig: 0, bak: 0, ovrl: 0 };
  for (let at = 0; at < task.windows.length; at += WINDOW_SAMPLES) {
    const { sig, bak, ovrl } = toAcr(await listen(task.windows.subarray(at, at + WINDOW_SAMPLES)));
    mean.sig += sig / windows;
    mean.bak += bak / windows;
    mean.ovrl += ovrl / windows;
  }
  return { model: name, ...mean, windows, problem: null };
}

/** A model that could not be opened is opened again: its file may be back. */
function model(path: string): Promise<NamedModel> {
  opening ??= open(path).catch((error: unknown) => {
    opening = undefined;
    throw error;
  });
  return opening;
}

async function open(path: string): Promise<NamedModel> {
  const { size } = await stat(path);
  if (size > LARGEST_MODEL_BYTES)
    throw new Error(`it has ${size} bytes, more than the ${LARGEST_MODEL_BYTES} accepted`);
  const bytes = await readFile(path);
  const digest = createHash('sha256').update(bytes).digest('hex');
  const listen = await openRowModel(bytes, { in: WINDOW_SAMPLES, out: SCORES });
  return { name: `${basename(path)} ${digest.slice(0, 12)}`, listen };
}
