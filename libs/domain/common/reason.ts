/** A reason of staff, in characters. */
export const MIN_REASON_LENGTH = 3;
export const MAX_REASON_LENGTH = 500;
