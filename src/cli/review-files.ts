import { DEFAULT_LIMITS } from '@app/audio/codecs/decode-audio';
import { RecordingGrader } from '@app/audio/threads/recording-grader';
import { Slots } from '@app/domain/common/slots';
import type { RulesetId } from '@app/domain/reviews/recording-rulesets';
import { open } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { describeFileError, findRecordings, type FoundRecording } from './find-recordings';
import { describeTable, Progress, toJson, type GradedFile } from './review-output';

interface ReviewFilesOptions {
  json?: boolean;
  explain?: boolean;
  /** Without one, as the worker's: by the model. */
  ruleset?: RulesetId;
  /** Of files without a header. */
  mediaType?: string;
  /** A model of listeners. */
  dnsmosModelPath?: string;
  ffmpegPath?: string;
}

type GradeOptions = Pick<ReviewFilesOptions, 'ruleset' | 'mediaType' | 'dnsmosModelPath' | 'ffmpegPath'>;

/** `greenroom review`: grades files as the worker does. The exit code is 1 when one of them has no recording to grade. */
export async function reviewFiles(paths: string[], options: ReviewFilesOptions): Promise<void> {
  const found = await findRecordings(paths);
  const files = await gradeAll(found, options);
  process.stdout.write(options.json ? toJson(files) : describeTable(files, options));
  if (files.some(({ problem }) => problem !== null)) process.exitCode = 1;
}

/** Grades files side by side, one for each processor; the results are in the order of the files. */
export async function gradeAll(found: FoundRecording[], options: GradeOptions): Promise<GradedFile[]> {
  const count = Math.min(availableParallelism(), Math.max(1, found.length));
  const { ruleset, dnsmosModelPath, ffmpegPath } = options;
  const grader = await RecordingGrader.open({ threads: count, dnsmosModelPath, ffmpegPath, ruleset });
  const slots = new Slots(count);
  const progress = new Progress(found.length, process.stderr);
  try {
    return await Promise.all(
      found.map(async (file) => {
        const graded = await slots.run(() => gradeFile(grader, file, options));
        progress.done(file.path);
        return graded;
      }),
    );
  } finally {
    progress.clear();
    await grader.close();
  }
}

async function gradeFile(
  grader: RecordingGrader,
  { path, problem }: FoundRecording,
  { mediaType }: GradeOptions,
): Promise<GradedFile> {
  if (problem !== null) return { path, graded: null, problem };
  try {
    const bytes = await readRecording(path);
    if (typeof bytes === 'string') return { path, graded: null, problem: bytes };
    const source = { sizeBytes: bytes.length, read: async () => bytes };
    const graded = await grader.grade(source, { mediaType });
    return { path, graded, problem: graded.refusal };
  } catch (error) {
    return { path, graded: null, problem: (error as Error).message };
  }
}

/** The bytes of a file, or why it is not read: a file over the limit never gets into memory. */
export async function readRecording(path: string): Promise<Uint8Array | string> {
  try {
    const file = await open(path);
    try {
      const { size } = await file.stat();
      const { maxBytes } = DEFAULT_LIMITS;
      if (size > maxBytes) return `Too large: ${size} bytes, more than the ${maxBytes} accepted.`;
      return await file.readFile();
    } finally {
      await file.close();
    }
  } catch (error) {
    return describeFileError(error);
  }
}
