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

/** What is done with things, rather than a name of its own for them. */
const VERBS =
  /^(list|get|create|edit|delete|export|disable|enable|rotate|suspend|reactivate|close|replay|test|pause|resume|retry|cancel|override|compare|replace|check|rehearse)$/;

/** `List API keys`, `Get API key`; `Bulk disable` as it is. */
export function summaryOf(operation: Operation): string {
  const { handler } = operation;
  const words = upperFirst(toWords(handler));
  return VERBS.test(handler) ? `${words} ${nounOf(operation)}` : words;
}

/** What an operation is about: several of its kind, or one when the path names one or it makes one. */
function nounOf(operation: Operation): string {
  const { handler, path } = operation;
  const tag = tagOf(operation).replace(' (staff)', '');
  const several = tag.startsWith('API') ? tag : lowerFirst(tag);
  const object = path.endsWith(`/${handler}`) ? path.slice(0, -handler.length - 1) : path;
  const isSeveral = handler === 'list' || (handler !== 'create' && object.endsWith('s'));
  return isSeveral ? several : several.replace(/ies$/, 'y').replace(/s$/, '');
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
  if (access === 'public') return 'Asks for no credential.';
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
