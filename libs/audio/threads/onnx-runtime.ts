/** What is used of onnxruntime-web: only those who set a model install it, so neither the build nor the start may need it. */
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

type Side = 'input' | 'output';

const PACKAGE: string = 'onnxruntime-web';
/** In the folder of node_modules that Greenroom is in, or in one above it. */
const INSTALL = `npm install --global ${PACKAGE}@1.30`;

/** A dimension: its size, or the name of one that may have any size. */
type Dimension = number | string;

/** What a model takes and returns, without the dimension of the batch. At most one dimension of the input has any size. */
export interface ModelShape {
  input: readonly Dimension[];
  outputs: Dimension;
}

/** Numbers to numbers: the input flat, in the order of its dimensions. */
export type RunModel = (input: Float32Array) => Promise<ArrayLike<number>>;

/**
 * Loads a model. The runtime is loaded here and nowhere else: without a model there is nothing of it in memory.
 *
 * @param model bytes of an ONNX file
 * @param kinds shapes that are accepted; the input of the model decides which kind it is
 * @throws Error that says what is wrong with the model, or that the runtime is not installed
 */
export async function openModel<Kind extends string>(
  model: Uint8Array,
  kinds: Record<Kind, ModelShape>,
): Promise<{ kind: Kind; run: RunModel }> {
  const runtime = await loadRuntime();
  const session = await createSession(runtime, model);
  const [input, ...otherInputs] = session.inputMetadata;
  if (otherInputs.length > 0) throw new Error(`it has ${otherInputs.length + 1} inputs instead of one`);
  const [output] = session.outputMetadata;
  const shapes = Object.entries(kinds) as [Kind, ModelShape][];
  const found = shapes.find(([, shape]) => fits(input, shape.input, 'input'));
  if (!found) throw mismatch('input', input, ...shapes.map(([, shape]) => shape.input));
  const [kind, shape] = found;
  if (!fits(output, [shape.outputs], 'output')) throw mismatch('output', output, [shape.outputs]);
  const run = async (numbers: Float32Array) => {
    const tensor = new runtime.Tensor('float32', numbers, [1, ...sizesOf(shape.input, numbers.length)]);
    const responses = await session.run({ [input!.name]: tensor });
    const { data } = responses[output!.name]!;
    const isWhole = typeof shape.outputs === 'string' ? data.length > 0 : data.length === shape.outputs;
    if (isWhole && Array.from(data).every(Number.isFinite)) return data;
    throw new Error(
      `it returned ${Array.from(data).slice(0, 3).join(', ') || 'nothing'} instead of ${counted(shape.outputs)}`,
    );
  };
  return { kind, run };
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
    throw new Error(`the package ${PACKAGE}, which runs models, is not installed (${INSTALL})`, {
      cause: error,
    });
  }
}

async function createSession({ InferenceSession }: OnnxRuntime, model: Uint8Array): Promise<Session> {
  try {
    return await InferenceSession.create(model);
  } catch (error) {
    throw new Error(`it is not an ONNX model (${(error as Error).message})`, { cause: error });
  }
}

/** The dimensions of so many numbers. */
function sizesOf(dimensions: readonly Dimension[], count: number): number[] {
  const known = dimensions.reduce<number>(
    (product, size) => product * (typeof size === 'number' ? size : 1),
    1,
  );
  return dimensions.map((size) => (typeof size === 'number' ? size : count / known));
}

/** Of a model, a dimension with a name has any size. One of the input that must have any size cannot have one only. */
function fits(found: ValueMetadata | undefined, expected: readonly Dimension[], side: Side): boolean {
  const { type, shape = [] } = found ?? {};
  const sizes = shape.slice(1);
  return (
    type === 'float32' &&
    shape.length === expected.length + 1 &&
    sizes.every((size, n) => {
      const isPresent = typeof expected[n] === 'string';
      return typeof size === 'string' || (isPresent ? side === 'output' : size === expected[n]);
    })
  );
}

function mismatch(
  side: Side,
  found: ValueMetadata | undefined,
  ...expected: (readonly Dimension[])[]
): Error {
  const { type, shape = [] } = found ?? {};
  const accepted = expected.map((sizes) => `float32 [1, ${sizes.join(', ')}]`).join(' or ');
  return new Error(`its ${side} is ${type ?? 'nothing'} [${shape.join(', ')}] instead of ${accepted}`);
}

function counted(numbers: Dimension): string {
  if (typeof numbers === 'string') return 'numbers';
  return numbers === 1 ? 'a number' : `${numbers} numbers`;
}
