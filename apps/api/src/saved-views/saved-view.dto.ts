import type { SavedView } from '@app/database/staff/saved-view.entity';
import { EnumField, StringField } from '../http/fields';

/** The lists that can be saved. */
export const SCREENS = ['api-keys', 'accounts', 'voices', 'review-desk', 'webhooks', 'audit-log'] as const;

export class SavedViewsQuery {
  @EnumField(SCREENS, { optional: true })
  screen?: string;
}

export class SaveViewBody {
  @EnumField(SCREENS)
  screen: string;

  @StringField({ min: 1, max: 60 })
  name: string;

  /** Filters and order, as in the address of the screen. */
  @StringField({ max: 2_000 })
  query: string;
}

export interface SavedViewResponse extends ReturnType<typeof toSavedViewResponse> {}

export function toSavedViewResponse({ id, screen, name, query, createdAt }: SavedView) {
  return {
    id,
    screen,
    name,
    query,
    created_at: createdAt.toISOString(),
  };
}
