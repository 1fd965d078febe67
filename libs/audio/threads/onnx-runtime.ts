/** What is used of onnxruntime-web: an optional package, so that neither the build nor the start may need it. */
interface OnnxRuntime {
  env: { wasm: { numThreads?: number }; logLevel?: string };
  InferenceSession: { create(model: Uint8Array): Promise<Session> };
  Tensor: new (type: 'float32', data: Float32Array, dims: number[]) => unknown;
}

interface Session {
  inputMetadata: readonly ValueMetadata[];
  outputMetadata: readonly ValueMetadata[];
  run(inputs: Record<string, unknown>): Promise<Record<string, { data: ArrayLike<number> }>>;
}

interface ValueMetadata {
  name: string;
  isTensor: boolean;
  type?: string;
  /** Dimensions may have a name instead of a size. */
  shape?: readonly (number | string)[];
}

const PACKAGE: string = 'onnxruntime-web';

/** A model that maps one row of numbers to another. */
export type RowModel = (row: Float32Array) => Promise<ArrayLike<number>>;

/**
 * Loads a model. The runtime is loaded here and nowhere else: without a model there is nothing of it in memory.
 *
 * @param model bytes of an ONNX file
 * @param shape numbers that a row has, in and out
 * @throws Error that says what is wrong with the model, or that the runtime is not installed
 */
export async function openRowModel(model: Uint8Array, shape: { in: number; out: number }): Promise<RowModel> {
  const runtime = await loadRuntime();
  const session = await createSession(runtime, model);
  const [input] = session.inputMetadata;
  const [output] = session.outputMetadata;
  requireRow('input', input, shape.in);
  requireRow('output', output, shape.out);
  return async (row) => {
    const tensor = new runtime.Tensor('float32', row, [1, row.length]);
    const answers = await session.run({ [input!.name]: tensor });
    const { data } = answers[output!.name]!;
    if (data.length === shape.out && Array.from(data).every(Number.isFinite)) return data;
    throw new Error(
      `it returned ${Array.from(data).join(', ') || 'nothing'} instead of ${shape.out} numbers`,
    );
  };
}

async function loadRuntime(): Promise<OnnxRuntime> {
  try {
    const runtime = (await import(PACKAGE)) as OnnxRuntime;
    // More would be threads of the runtime's own, beside those that measure.
    runtime.env.wasm.numThreads = 1;
    runtime.env.logLevel = 'error';
    return runtime;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ERR_MODULE_NOT_FOUND') throw error;
    throw new Error(`the optional package ${PACKAGE} is not installed`, { cause: error });
  }
}

async function createSession({ InferenceSession }: OnnxRuntime, model: Uint8Array): Promise<Session> {
  try {
    return await InferenceSession.create(model);
  } catch (error) {
    throw new Error(`it is not an ONNX model (${(error as Error).message})`, { cause: error });
  }
}

function requireRow(side: string, found: ValueMetadata | undefined, length: number): void {
  const { type, shape = [] } = found ?? {};
  const fits = typeof shape[1] === 'string' || shape[1] === length;
  if (type === 'float32' && shape.length === 2 && fits) return;
  throw new Error(
    `its ${side} is ${type ?? 'nothing'} [${shape.join(', ')}] instead of float32 [1, ${length}]`,
  );
}
