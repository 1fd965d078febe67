import { readFileSync } from 'node:fs';
import { OPENAPI_FILE } from '../../../libs/config/openapi-file';

/** What was seen of each operation. */
export class Outcomes {
  private readonly seen = new Map<string, Set<string>>();

  add(operation: string, outcome: string): void {
    this.seen.set(operation, (this.seen.get(operation) ?? new Set()).add(outcome));
  }

  has(operation: string, outcome: string): boolean {
    return this.seen.get(operation)?.has(outcome) === true;
  }

  /** One line an operation, and how many of each kind there were. */
  toTable(): string {
    const width = Math.max(...[...this.seen.keys()].map((operation) => operation.length));
    const lines = [...this.seen].map(
      ([operation, outcomes]) => `${operation.padEnd(width)}  ${[...outcomes].join(', ')}`,
    );
    const all = [...this.seen.values()].flatMap((outcomes) => [...outcomes]);
    const count = (kind: RegExp) => all.filter((outcome) => kind.test(outcome)).length;
    const counts = `${count(/^2\d\d$/)} succeeded, ${count(/^streamed$/)} streamed, ${count(/^[a-z]+(_[a-z]+)*$/) - count(/^streamed$/)} refusals, ${count(/^again/)} sent again by the library, ${count(/^cut off$/)} cut off`;
    return [...lines, `${this.seen.size} operations: ${counts}`].join('\n');
  }
}

/** The public operations of the API's description, and the codes each can be refused with. The library opens no WebSocket. */
export function describedOperations(): { operation: string; codes: string[] }[] {
  const { paths } = JSON.parse(readFileSync(OPENAPI_FILE, 'utf8')) as {
    paths: Record<string, Record<string, { responses: Record<string, { $ref?: string }> }>>;
  };
  return Object.entries(paths)
    .filter(([path]) => /^\/v\d\//.test(path))
    .flatMap(([path, methods]) =>
      Object.entries(methods)
        .filter(([, { responses }]) => !('101' in responses))
        .map(([method, { responses }]) => ({
          operation: `${method.toUpperCase()} ${path}`,
          codes: Object.values(responses).flatMap(codesOf),
        })),
    );
}

/** The name of the response of a refusal lists its codes: `Error.404.voice_not_found.sample_not_found`. */
function codesOf({ $ref = '' }: { $ref?: string }): string[] {
  return $ref.split('.').slice(2);
}
