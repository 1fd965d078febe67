import { join, relative, resolve } from 'node:path';
import ts from 'typescript';
import { ROOT } from './source-files';

/** A place in our source where an event emitter comes into being: a socket, a stream, a server, a client, a pool, a child process. */
export interface EmitterPlace {
  /** File and how it is written there, for example `apps/api/src/server/multipart-body.ts: new Busboy`. */
  place: string;
  /** Whether the same file listens for its `error`. */
  isListenedTo: boolean;
}

/**
 * Every emitter that these files create, or that a library hands to a callback in them.
 *
 * @param isOurs whether a file is looked at; what such files get from each other is counted where it is created
 */
export function findEmitters(program: ts.Program, isOurs: (file: string) => boolean): EmitterPlace[] {
  const checker = program.getTypeChecker();
  const ours = program.getSourceFiles().filter(({ fileName }) => isOurs(relative(ROOT, fileName)));
  return ours.flatMap((file) => new FileOfEmitters(file, checker, isOurs).find());
}

/**
 * A program of these files, with the project's settings.
 *
 * @param isNodeAlone whether only Node's modules are resolved, which takes a fraction of the time; what comes from other files has no type
 */
export function programOf(files: string[], { isNodeAlone = false } = {}): ts.Program {
  const { config } = ts.readConfigFile(join(ROOT, 'tsconfig.json'), (path) => ts.sys.readFile(path));
  const parsed = ts.parseJsonConfigFileContent(config, { ...ts.sys, readDirectory: () => [] }, ROOT);
  const options = { ...parsed.options, noEmit: true, typeRoots: [join(ROOT, 'node_modules/@types')] };
  const host = ts.createCompilerHost(options);
  if (isNodeAlone) {
    host.resolveModuleNameLiterals = (names) => names.map(() => ({ resolvedModule: undefined }));
    options.types = ['node'];
  }
  return ts.createProgram(
    files.map((file) => resolve(ROOT, file)),
    options,
    host,
  );
}

const LISTENS = new Set(['on', 'once', 'addListener']);
/** Methods that every emitter has, and hardly anything else. */
const EMITTER_METHODS = ['on', 'once', 'emit', 'removeListener'];
/** Lists, and the container of the application, hand out what was created elsewhere. */
const HANDS_OUT = /\/typescript\/lib\/|\/@nestjs\//;
/** Digests and ciphers are streams by name; they are used without waiting. */
const CANNOT_FAIL = /@types\/node\/crypto\.d\.ts$/;

class FileOfEmitters {
  private readonly found: EmitterPlace[] = [];
  private readonly listenedTo = new Set<string>();
  private readonly path: string;

  constructor(
    private readonly file: ts.SourceFile,
    private readonly checker: ts.TypeChecker,
    private readonly isOurs: (file: string) => boolean,
  ) {
    this.path = relative(ROOT, file.fileName);
    each(file, (node) => this.noteListener(node));
  }

  find(): EmitterPlace[] {
    each(this.file, (node) => {
      if (ts.isNewExpression(node) && this.isEmitter(this.checker.getTypeAtLocation(node)))
        this.add(node, `new ${node.expression.getText()}`);
      if (ts.isPropertyAccessExpression(node)) this.watchStream(node);
      if (ts.isCallExpression(node) && this.isFromLibrary(node)) this.watchCall(node);
    });
    return this.found;
  }

  /** The streams of a child process, which fail by themselves. */
  private watchStream(node: ts.PropertyAccessExpression): void {
    const { name, expression } = node;
    if (!/^std(in|out|err)$/.test(name.text) || expression.getText() === 'process') return;
    if (ts.isPropertyAccessExpression(node.parent.parent) || !ts.isCallExpression(node.parent.parent))
      this.found.push({
        place: `${this.path}: ${bare(node)}`,
        isListenedTo: this.listenedTo.has(bare(node)),
      });
  }

  private watchCall(call: ts.CallExpression): void {
    if (this.isEmitter(this.settledType(call)) && !this.returnsItsOwn(call)) {
      const { expression } = call;
      const name = ts.isPropertyAccessExpression(expression) ? expression.name : expression;
      this.add(call, `${name.getText()}()`);
    }
    for (const callback of call.arguments.filter(isFunction))
      for (const parameter of callback.parameters)
        if (this.isEmitter(this.checker.getTypeAtLocation(parameter))) this.addParameter(parameter, call);
  }

  private addParameter(parameter: ts.ParameterDeclaration, call: ts.CallExpression): void {
    const [event] = call.arguments;
    const name = parameter.name.getText();
    const of = event && ts.isStringLiteral(event) ? ` '${event.text}'` : '';
    const method = ts.isPropertyAccessExpression(call.expression) ? call.expression.name : call.expression;
    this.found.push({
      place: `${this.path}: ${method.getText()}${of} → ${name}`,
      isListenedTo: this.listenedTo.has(name),
    });
  }

  private add(node: ts.Expression, what: string): void {
    const isListenedTo = listensInChain(node) || this.listenedTo.has(nameOf(node) ?? '');
    this.found.push({ place: `${this.path}: ${what}`, isListenedTo });
  }

  private noteListener(node: ts.Node): void {
    if (!ts.isCallExpression(node)) return;
    if (node.expression.getText() === 'keepServing') this.listenedTo.add(bare(node.arguments[0]!));
    if (!listensForError(node)) return;
    let root: ts.Expression = node;
    while (ts.isCallExpression(root) && ts.isPropertyAccessExpression(root.expression))
      root = root.expression.expression;
    this.listenedTo.add(bare(root));
  }

  private isEmitter(type: ts.Type): boolean {
    const parts = type.isUnion() ? type.types : [type];
    return parts.some(
      (part) =>
        EMITTER_METHODS.every((method) => part.getProperty(method) !== undefined) &&
        !part.symbol?.declarations?.some((each) => CANNOT_FAIL.test(each.getSourceFile().fileName)),
    );
  }

  private settledType(call: ts.CallExpression): ts.Type {
    const type = this.checker.getTypeAtLocation(call);
    return this.checker.getAwaitedType(type) ?? type;
  }

  /** `server.listen(…)` gives back what it is called on; a promise what it was created with. */
  private returnsItsOwn({ expression }: ts.CallExpression): boolean {
    if (!ts.isPropertyAccessExpression(expression)) return false;
    if (expression.name.text === 'then') return true;
    const receiver = this.checker.getTypeAtLocation(expression.expression);
    return this.isEmitter(receiver);
  }

  private isFromLibrary(call: ts.CallExpression): boolean {
    const declaration = this.checker.getResolvedSignature(call)?.declaration;
    const { fileName = '' } = declaration?.getSourceFile() ?? {};
    return !this.isOurs(relative(ROOT, fileName)) && !HANDS_OUT.test(fileName);
  }
}

function each(node: ts.Node, check: (node: ts.Node) => void): void {
  check(node);
  ts.forEachChild(node, (child) => each(child, check));
}

const isFunction = (node: ts.Expression): node is ts.ArrowFunction | ts.FunctionExpression =>
  ts.isArrowFunction(node) || ts.isFunctionExpression(node);

function listensForError(call: ts.CallExpression): boolean {
  const [event] = call.arguments;
  return (
    ts.isPropertyAccessExpression(call.expression) &&
    LISTENS.has(call.expression.name.text) &&
    event !== undefined &&
    ts.isStringLiteral(event) &&
    event.text === 'error'
  );
}

/** `send(…).on('error', …).end()` */
function listensInChain(node: ts.Node): boolean {
  const { parent } = node;
  if (!ts.isPropertyAccessExpression(parent) || !ts.isCallExpression(parent.parent)) return false;
  return listensForError(parent.parent) || listensInChain(parent.parent);
}

/** What an emitter is stored in: a variable or a property. */
function nameOf(node: ts.Node): string | null {
  const { parent } = node;
  if (ts.isVariableDeclaration(parent) || ts.isPropertyDeclaration(parent)) return bare(parent.name);
  if (ts.isBinaryExpression(parent) && parent.operatorToken.kind === ts.SyntaxKind.EqualsToken)
    return bare(parent.left);
  return ts.isAwaitExpression(parent) || ts.isAsExpression(parent) || ts.isParenthesizedExpression(parent)
    ? nameOf(parent)
    : null;
}

const bare = (node: ts.Node): string => node.getText().replaceAll(/^this\.|[!?]/g, '');
