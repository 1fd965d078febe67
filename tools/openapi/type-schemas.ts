import ts from 'typescript';
import { orNull, type JsonSchema } from '../../libs/domain/common/json-schema';
import { withExample } from './examples';
import type { Source } from './source';

/** Builds JSON Schemas of the types of responses. A named type becomes a component. */
export class TypeSchemas {
  readonly components: Record<string, JsonSchema> = {};

  private readonly named = new Map<string, ts.Type>();

  constructor(private readonly source: Source) {}

  /** @throws Error for what has no form in JSON, such as a Date */
  of(type: ts.Type): JsonSchema {
    if (type.flags & (ts.TypeFlags.Any | ts.TypeFlags.Unknown)) return {};
    if (type.flags & ts.TypeFlags.Null) return { type: 'null' };
    if (type.flags & ts.TypeFlags.String) return { type: 'string' };
    if (type.flags & ts.TypeFlags.Number) return { type: 'number' };
    if (type.flags & ts.TypeFlags.Boolean) return { type: 'boolean' };
    if (type.flags & ts.TypeFlags.BooleanLiteral)
      return { type: 'boolean', const: this.checker.typeToString(type) === 'true' };
    if (type.isStringLiteral()) return { type: 'string', const: type.value };
    if (type.isNumberLiteral()) return { type: 'number', const: type.value };
    if (type.isUnion()) return this.ofUnion(type);
    if (this.checker.isArrayType(type)) return this.ofArray(type);
    const named = this.source.namedBy(type) ?? type;
    return this.isNamed(named) ? this.component(named) : this.ofObject(type);
  }

  private get checker(): ts.TypeChecker {
    return this.source.checker;
  }

  private ofUnion({ types }: ts.UnionType): JsonSchema {
    const present = types.filter(({ flags }) => !(flags & ts.TypeFlags.Undefined));
    const values = present.filter(({ flags }) => !(flags & ts.TypeFlags.Null));
    const schema = this.ofValues(values);
    return values.length < present.length ? orNull(schema) : schema;
  }

  /** In the order of their texts: the compiler's own is that in which it has come across them, anywhere in the program. */
  private ofValues(unordered: ts.Type[]): JsonSchema {
    const textOf = (type: ts.Type) => (type.isStringLiteral() ? type.value : this.checker.typeToString(type));
    const types = unordered.toSorted((one, other) => (textOf(one) < textOf(other) ? -1 : 1));
    if (types.length === 1) return this.of(types[0]!);
    if (types.every((type) => type.isStringLiteral()))
      return { type: 'string', enum: types.map(({ value }) => value) };
    const booleans = types.filter(({ flags }) => flags & ts.TypeFlags.BooleanLiteral);
    if (booleans.length === types.length) return { type: 'boolean' };
    const texts = types.filter((type) => type.isStringLiteral());
    const others = types.filter(
      (type) => !texts.includes(type as ts.StringLiteralType) && !booleans.includes(type),
    );
    return {
      anyOf: [
        ...(texts.length > 0 ? [this.ofValues(texts)] : []),
        ...(booleans.length > 0 ? [this.ofValues(booleans)] : []),
        ...others.map((type) => this.of(type)),
      ],
    };
  }

  private ofArray(type: ts.Type): JsonSchema {
    const [item] = this.checker.getTypeArguments(type as ts.TypeReference);
    return item!.flags & ts.TypeFlags.Never
      ? { type: 'array', maxItems: 0, items: {} }
      : { type: 'array', items: this.of(item!) };
  }

  private component(type: ts.Type): JsonSchema {
    const name = this.nameOf(type);
    if (this.named.has(name) && this.named.get(name) !== type)
      throw new Error(`Two types of responses are named ${name}: rename one.`);
    if (!this.named.has(name)) {
      // Its place is taken first: a type may mention itself.
      this.named.set(name, type);
      this.components[name] = {};
      Object.assign(this.components[name], this.ofObject(type), {
        description: this.source.comment(type.aliasSymbol ?? type.symbol),
      });
    }
    return { $ref: `#/components/schemas/${name}` };
  }

  private ofObject(type: ts.Type): JsonSchema {
    if (
      type.getCallSignatures().length > 0 ||
      !(type.flags & (ts.TypeFlags.Object | ts.TypeFlags.Intersection))
    )
      throw new Error(
        `A response has a part of the type ${this.checker.typeToString(type)}, which is not JSON.`,
      );
    const values = type.getStringIndexType();
    const properties = this.source.properties(type);
    if (properties.some(({ declarations = [] }) => !declarations.every((node) => this.source.isOurs(node))))
      throw new Error(
        `A response has a part of the type ${this.checker.typeToString(type)}, which is not ours.`,
      );
    const required = properties.filter(({ flags }) => !(flags & ts.SymbolFlags.Optional));
    return {
      type: 'object',
      ...(required.length > 0 && { required: required.map(({ name }) => name) }),
      ...(properties.length > 0 && {
        properties: Object.fromEntries(properties.map((each) => [each.name, this.ofProperty(each)])),
      }),
      ...(values && { additionalProperties: this.of(values) }),
    };
  }

  private ofProperty(property: ts.Symbol): JsonSchema {
    const schema = withExample(property.name, this.of(this.checker.getTypeOfSymbol(property)));
    const description = this.source.comment(property);
    return description === undefined ? schema : { ...schema, description };
  }

  private isNamed(type: ts.Type): boolean {
    // An intersection has no symbol.
    const symbol = (type.aliasSymbol ?? type.symbol) as ts.Symbol | undefined;
    if (!symbol || symbol.name.startsWith('__')) return false;
    return symbol.declarations?.some((node) => this.source.isOurs(node)) === true;
  }

  private nameOf(type: ts.Type): string {
    const input = type.aliasTypeArguments ?? this.checker.getTypeArguments(type as ts.TypeReference);
    const { name } = type.aliasSymbol ?? type.symbol;
    return name + input.map((each) => `Of${this.nameOf(each)}`).join('');
  }
}
