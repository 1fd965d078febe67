import { queryOptions, type QueryKey } from '@tanstack/react-query';
import type { paths } from '@api/schema';
import { api, unwrap } from './client';

type ReadPath = {
  [Path in keyof paths]: paths[Path] extends { get: { responses: unknown } } ? Path : never;
}[keyof paths];
type Operation<Path extends ReadPath> = paths[Path] extends { get: infer Get } ? Get : never;
type Params<Path extends ReadPath> = Operation<Path> extends { parameters: infer P } ? Partial<P> : never;
type Body<Path extends ReadPath> =
  Operation<Path> extends {
    responses: { 200: { content: { 'application/json': infer Json } } };
  }
    ? Json
    : never;

/** A query of what a path of the staff API returns, under a key that changes are announced by. */
export function read<const Path extends ReadPath>(queryKey: QueryKey, path: Path, params?: Params<Path>) {
  const call = api.GET as (path: string, init: object) => ReturnType<typeof api.GET>;
  return queryOptions({
    queryKey,
    queryFn: () => unwrap(call(path, { params: params ?? {} })) as Promise<Body<Path>>,
  });
}
