import { isStaffPath } from '../../apps/api/src/http/problem-json';
import type { Operation } from './operations';

interface Tag {
  name: string;
  description: string;
}

/** `staffApiKeysBulkDisable`: the controller, without `Public`, and its method. */
export function operationId({ controller, handler }: Operation): string {
  const name = controller.name.replace(/^Public|Controller$/g, '');
  const verb = upperFirst(handler);
  return lowerFirst(name.endsWith(verb) ? name : name + verb);
}

/** `API keys (staff)` */
export function tagOf({ controller, path }: Operation): string {
  const name = upperFirst(toWords(controller.name.replace(/^(Platform|Public|Staff)|Controller$/g, '')));
  const spelled = name.replace(/\bApi\b/i, 'API');
  return isStaffPath(path) ? `${spelled} (staff)` : spelled;
}

/** The tags of some operations: what customers use first. */
export function tagsOf(operations: readonly Operation[]): Tag[] {
  const tags = new Map(operations.map((each) => [tagOf(each), isStaffPath(each.path)]));
  return [...tags]
    .sort(([a, forStaff], [b, alsoForStaff]) => Number(forStaff) - Number(alsoForStaff) || (a < b ? -1 : 1))
    .map(([name, forStaff]) => ({
      name,
      description: forStaff
        ? 'For members of staff, with a session.'
        : "For customers' programs and for operations.",
    }));
}

/** Who may call, in one sentence. */
export function describeAccess({ access }: Operation): string {
  if (access === 'public') return 'Needs no credential.';
  if (access === 'any_key') return 'Any API key may call it.';
  if (access === 'service')
    return "For the platform's own services, with a credential that staff have issued.";
  if (typeof access === 'string') return `The API key needs the permission \`${access}\`.`;
  if (access.staff === 'signed_in') return 'Every member of staff may call it.';
  return `The role needs the permission \`${access.staff}\`.`;
}

function toWords(camelCase: string): string {
  return camelCase.replace(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase();
}

function upperFirst(text: string): string {
  return `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
}

function lowerFirst(text: string): string {
  return `${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}
