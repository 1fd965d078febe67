import {
  passes,
  refusal,
  refuses,
  type DescribedUse,
  type GateWords,
  type PureGate,
  type RouteRefusalCode,
  type RouteUse,
} from './gate';

/** Whether the request names an operation that a key can call. Our own server's router decides before any hook runs. */
export const ROUTE: PureGate<'route', RouteUse, RouteRefusalCode> = {
  name: 'route',
  decide({ method, target }) {
    if (target.refusal === null) return null;
    const reason = 'The escapes in the path cannot be read.';
    const params = { method, allowed: target.allowedMethods.join(', '), reason };
    return refusal(target.refusal, target.refusal, params);
  },
  describe,
};

function describe({ method, path, target }: Pick<DescribedUse, 'method' | 'path' | 'target'>): GateWords {
  const { route, isPublic, refusal: code } = target;
  const served = `${method} ${path} is served by ${route?.slice(method.length + 1)}`;
  switch (code) {
    case null:
      return passes(isPublic ? `${served}, which needs no key.` : `${served}.`);
    case 'bad_request':
      return refuses(`The escapes in ${path} cannot be read.`, code, ['Correct the path.', null]);
    case 'uri_too_long':
      return refuses(`A part of ${path} is too long.`, code, ['Correct the path.', null]);
    case 'not_found':
      return refuses(`Nothing is served at ${path}.`, code, ['Correct the path.', null]);
    case 'method_not_allowed':
      return refuses(`${path} has no ${method}.`, code, [`Use ${target.allowedMethods.join(' or ')}.`, null]);
    case 'staff_sign_in_required':
      return refuses(`${served}, for staff.`, code, ['Staff routes take no key.', null]);
    default:
      return refuses(`${served}, for services.`, code, ['Routes for services take no key.', null]);
  }
}
