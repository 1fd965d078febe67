import { checkEnum, checkList, withSchema } from '@app/domain/common/field-checks';
import { WEBHOOK_EVENT_TYPES } from '@app/domain/webhooks/webhook-event';

/** Bounds of the name of a webhook. */
export const WEBHOOK_NAME = { min: 1, max: 100 };

const checkTypes = checkList(checkEnum(WEBHOOK_EVENT_TYPES), { max: WEBHOOK_EVENT_TYPES.length });

/** One or more types of events. */
export const checkEvents = withSchema({ ...checkTypes.schema, minItems: 1 }, (value) =>
  Array.isArray(value) && value.length === 0
    ? [{ type: 'too_short', msg: 'List should have at least 1 item after validation, not 0' }]
    : checkTypes(value),
);
