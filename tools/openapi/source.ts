import { join } from 'node:path';
import ts from 'typescript';

/** Our sources as the compiler understands them. */
export class Source {
  readonly checker: ts.TypeChecker;
  private readonly declarations = new Map<string, (ts.ClassDeclaration | ts.InterfaceDeclaration)[]>();

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
    });
  }
}
