import ts from 'typescript';
import { ERRORS, type ErrorCode } from '../../libs/domain/errors';
import type { Source } from './source';

/** The responses of the code behind a route, beside the body of its success. */
export interface Behaviour {
  codes: Set<ErrorCode>;
  /** Whether it can refuse an input with a list of problems. */
  validates: boolean;
  /** Response headers that it sets. */
  headers: Set<string>;
}

/** What a declaration does itself, and the code of ours that it mentions. */
interface Part extends Behaviour {
  mentioned: Set<ts.Node>;
}

/** Most routes share most of their code. */
const PARTS = new WeakMap<ts.Node, Part>();

/**
 * Reads a declaration and everything of ours that it mentions, for the refusals it can give: whatever code a `DomainError`
 * is created with. It does not judge whether a call comes that far, so it may find a refusal too many, never one too few;
 * only what is called through an interface is not seen.
 */
export function readBehaviour(source: Source, declaration: ts.Node): Behaviour {
  const behaviour: Behaviour = { codes: new Set(), validates: false, headers: new Set() };
  const declarations = new Set([declaration]);
  // Grows while it is read.
  for (const each of declarations) {
    const part = partOf(source, each);
    part.codes.forEach((code) => behaviour.codes.add(code));
    part.headers.forEach((header) => behaviour.headers.add(header));
    part.mentioned.forEach((node) => declarations.add(node));
    behaviour.validates ||= part.validates;
  }
  return behaviour;
}

function partOf(source: Source, declaration: ts.Node): Part {
  const known = PARTS.get(declaration);
  if (known) return known;
  const part: Part = { codes: new Set(), validates: false, headers: new Set(), mentioned: new Set() };
  const read = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isNewExpression(node)) readError(source, node, part);
    if (ts.isCallExpression(node) && node.expression.getText() === 'toError') {
      readRefusal(source, node.arguments[0]!, part);
      node.arguments.forEach(read);
      return;
    }
    if (ts.isCallExpression(node)) readHeader(source, node, part);
    if (ts.isIdentifier(node)) bodiesOf(source, node).forEach((body) => part.mentioned.add(body));
    node.forEachChild(read);
  };
  read(declaration);
  PARTS.set(declaration, part);
  return part;
}

function readError({ checker }: Source, node: ts.NewExpression, behaviour: Behaviour): void {
  const name = node.expression.getText();
  if (name === 'ValidationProblem' || name === 'InvalidInput') behaviour.validates = true;
  if (name !== 'DomainError') return;
  addCodes(checker.getTypeAtLocation(node.arguments![0]!), node, behaviour);
}

/** `toError(refusal)`, which makes the error of a gate. */
function readRefusal({ checker }: Source, refusal: ts.Expression, behaviour: Behaviour): void {
  const code = checker.getTypeAtLocation(refusal).getProperty('code')!;
  addCodes(checker.getTypeOfSymbolAtLocation(code, refusal), refusal, behaviour);
}

function addCodes(type: ts.Type, node: ts.Node, behaviour: Behaviour): void {
  const types = type.isUnion() ? type.types : [type];
  if (types.length === Object.keys(ERRORS).length)
    throw new Error(
      `Which refusals this can be is not known, give the code a narrower type: ${node.getText()}`,
    );
  for (const code of types) {
    if (code.isStringLiteral()) behaviour.codes.add(code.value as ErrorCode);
  }
}

/** `reply.header('name', …)` */
function readHeader(
  { checker }: Source,
  { expression, arguments: [name] }: ts.CallExpression,
  behaviour: Behaviour,
): void {
  if (!ts.isPropertyAccessExpression(expression) || expression.name.text !== 'header') return;
  if (!name || !ts.isStringLiteral(name)) return;
  if (!checker.typeToString(checker.getTypeAtLocation(expression.expression)).startsWith('FastifyReply'))
    return;
  if (name.text !== 'content-type') behaviour.headers.add(name.text);
}

/** The code that a name stands for: of functions, methods, constructors and of constants that hold functions. */
function bodiesOf(source: Source, name: ts.Identifier): ts.Node[] {
  const { checker } = source;
  let symbol = checker.getSymbolAtLocation(name);
  if (symbol && symbol.flags & ts.SymbolFlags.Alias) symbol = checker.getAliasedSymbol(symbol);
  return (symbol?.declarations ?? [])
    .filter((node) => source.isOurs(node))
    .flatMap((node) => bodyOf(node, name));
}

function bodyOf(node: ts.Declaration, name: ts.Identifier): ts.Node[] {
  if (ts.isFunctionDeclaration(node) || ts.isMethodDeclaration(node) || ts.isAccessor(node)) return [node];
  if ((ts.isVariableDeclaration(node) || ts.isPropertyDeclaration(node)) && node.initializer)
    return [node.initializer];
  if (ts.isClassDeclaration(node)) {
    const isCreated = ts.isNewExpression(name.parent);
    return node.members.filter(isCreated ? ts.isConstructorDeclaration : isCalledByFramework);
  }
  return [];
}

/** What the framework calls of a pipe, which is named but not created. */
function isCalledByFramework(member: ts.ClassElement): boolean {
  return ts.isMethodDeclaration(member) && member.name.getText() === 'transform';
}
