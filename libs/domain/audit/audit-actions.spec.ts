import { actionsSeenByAccount, activityOf } from './audit-actions';

describe('the activities that an account sees', () => {
  it('are those of the classes and names of OCSF', () => {
    expect(activityOf('key.disabled')).toEqual({
      classUid: 3004,
      className: 'Entity Management',
      activityId: 9,
      activityName: 'API Key Deactivation',
    });
    for (const action of actionsSeenByAccount()) expect(activityOf(action).activityId).toBeGreaterThan(0);
  });

  it.each([
    [{ className: 'Account Change', activityName: 'Credit Grant' }, ['credits.grant']],
    [{ activityName: 'Voice Deletion' }, ['voice.deleted']],
    [{ className: 'Entity Management', activityName: 'Credit Grant' }, []],
    [{ className: 'Authentication' }, []],
  ])('narrowed to %j are %j', (requested, actions) => {
    expect(actionsSeenByAccount(requested)).toEqual(actions);
  });

  it('have a name of their own each, so that a filter by name means one action', () => {
    const names = actionsSeenByAccount().map((action) => activityOf(action).activityName);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(['staff.signed_in', 'audit.exported', 'preferences.exported', 'queue.paused', 'key.unheard_of'])(
    'do not include %s',
    (action) => {
      expect(actionsSeenByAccount()).not.toContain(action);
      expect(() => activityOf(action)).toThrow(action);
    },
  );
});
