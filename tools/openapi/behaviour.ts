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

/**
 * Reads a declaration and everything of ours that it mentions, for the refusals it can give: whatever code a `DomainError`
 * is created with. It does not judge whether a call comes that far, so it may find a refusal too many, never one too few;
 * only what is called through an interface is not seen.
 */
export function readBehaviour(source: Source, declaration: ts.Node): Behaviour {
  const behaviour: Behaviour = { codes: new Set(), validates: false, headers: new Set() };
  const seen = new Set<ts.Node>();
  const read = (node: ts.Node): void => {
    if (ts.isTypeNode(node)) return;
    if (ts.isNewExpression(node)) readError(source, node, behaviour);
    if (ts.isCallExpression(node) && node.expression.getText() === 'toError') {
      readRefusal(source, node.arguments[0]!, behaviour);
      node.arguments.forEach(read);
      return;
    }
    if (ts.isCallExpression(node)) readHeader(source, node, behaviour);
    if (ts.isIdentifier(node)) follow(node);
    node.forEachChild(read);
  };
  const follow = (name: ts.Identifier): void => {
    for (const found of bodiesOf(source, name)) {
      if (seen.has(found)) continue;
      seen.add(found);
      read(found);
    }
  };
  seen.add(declaration);
  read(declaration);
  return behaviour;
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
