import { join } from 'node:path';
import ts from 'typescript';

/** Our sources as the compiler understands them. */
export class Source {
  readonly checker: ts.TypeChecker;
  private readonly declarations = new Map<string, (ts.ClassDeclaration | ts.InterfaceDeclaration)[]>();
  private readonly named = new Map<ts.Type, ts.Type>();

  constructor(private readonly root: string) {
    const { config } = ts.readConfigFile(join(root, 'tsconfig.build.json'), (path) =>
      ts.sys.readFile(path),
    ) as {
      config: object;
    };
    const { options } = ts.parseJsonConfigFileContent(config, ts.sys, root);
    const program = ts.createProgram([join(root, 'apps/api/src/main.ts')], options);
    this.checker = program.getTypeChecker();
    program
      .getSourceFiles()
      .filter((file) => this.isOurs(file))
      .forEach((file) => this.index(file));
  }

  /**
   * A class or interface by its name.
   *
   * @throws Error when there is none, or more than one
   */
  declaration(name: string): ts.ClassDeclaration | ts.InterfaceDeclaration {
    const [found, ...others] = this.declarations.get(name) ?? [];
    if (found && others.length === 0) return found;
    throw new Error(`The sources have ${found ? 'several' : 'no'} classes or interfaces named ${name}.`);
  }

  typeOf(name: string): ts.Type {
    return this.checker.getTypeAtLocation(this.declaration(name));
  }

  /** The interface that gives a type its name and adds nothing: `interface KeyResponse extends ReturnType<typeof toKey> {}`. */
  namedBy(type: ts.Type): ts.Type | undefined {
    return this.named.get(type);
  }

  /** The properties of a type as its source lists them; the compiler has those that were spread last in front. */
  properties(type: ts.Type): ts.Symbol[] {
    const order = [...new Set(this.propertyNames(type))];
    const properties = this.checker.getPropertiesOfType(type);
    return properties.toSorted((one, other) => order.indexOf(one.name) - order.indexOf(other.name));
  }

  private propertyNames(type: ts.Type): string[] {
    if (type.isUnionOrIntersection()) return type.types.flatMap((each) => this.propertyNames(each));
    const inherited = type.isClassOrInterface()
      ? (this.checker.getBaseTypes(type) ?? []).flatMap((base) => this.propertyNames(base))
      : [];
    const names = this.checker.getPropertiesOfType(type).map(({ name }) => name);
    const [node] = (type.symbol as ts.Symbol | undefined)?.declarations ?? [];
    if (!node || !ts.isObjectLiteralExpression(node))
      return [...names.filter((name) => !inherited.includes(name)), ...inherited];
    const [own, bases] = [
      node.properties.filter((part) => !this.isBase(part)),
      node.properties.filter((part) => this.isBase(part)),
    ];
    return [...own, ...bases].flatMap((part) =>
      ts.isSpreadAssignment(part)
        ? this.propertyNames(this.checker.getTypeAtLocation(part.expression))
        : (this.checker.getSymbolAtLocation(part.name!)?.name ?? []),
    );
  }

  /** A response that another one begins with comes last, as an interface has what it inherits. */
  private isBase(part: ts.ObjectLiteralElementLike): boolean {
    return ts.isSpreadAssignment(part) && this.named.has(this.checker.getTypeAtLocation(part.expression));
  }

  /**
   * A method of a class, or of one that it extends.
   *
   * @throws Error when there is none
   */
  method(className: string, name: string): ts.MethodDeclaration {
    const found = this.typeOf(className).getProperty(name)?.declarations?.find(ts.isMethodDeclaration);
    if (!found) throw new Error(`${className} declares no method ${name}.`);
    return found;
  }

  isOurs(node: ts.Node): boolean {
    const { fileName } = node.getSourceFile();
    return fileName.startsWith(this.root) && !fileName.includes('/node_modules/');
  }

  /** Whether a comment says that it is deprecated. */
  isDeprecated(symbol: ts.Symbol | undefined): boolean {
    return symbol?.getJsDocTags(this.checker).some(({ name }) => name === 'deprecated') ?? false;
  }

  /** What the comment of a declaration says, on one line a paragraph. */
  comment(symbol: ts.Symbol | undefined): string | undefined {
    const text = ts.displayPartsToString(symbol?.getDocumentationComment(this.checker));
    return text === '' ? undefined : text.replace(/(?<!\n)\n(?!\n)/g, ' ');
  }

  /**
   * What a route does, in a line: the comment behind its decorator, `@Get() // List all voices`.
   *
   * @throws Error when there is none
   */
  summary(handler: ts.MethodDeclaration): string {
    const { text } = handler.getSourceFile();
    for (const { end } of ts.getDecorators(handler) ?? [])
      for (const { pos, end: last } of ts.getTrailingCommentRanges(text, end) ?? [])
        return text.slice(pos, last).replace(/^\/\/ /, '');
    throw new Error(
      `${handler.name.getText()} has no summary: write one behind its @Get, @Post …, as a comment.`,
    );
  }

  private index(file: ts.SourceFile): void {
    file.forEachChild((node) => {
      if ((ts.isClassDeclaration(node) || ts.isInterfaceDeclaration(node)) && node.name)
        this.declarations.set(node.name.text, [...(this.declarations.get(node.name.text) ?? []), node]);
      if (!ts.isInterfaceDeclaration(node) || node.members.length > 0) return;
      for (const { types } of node.heritageClauses ?? [])
        if (types.length === 1 && types[0]!.expression.getText() === 'ReturnType')
          this.named.set(this.checker.getTypeAtLocation(types[0]!), this.checker.getTypeAtLocation(node));
    });
  }
}
