import { toUsageSinkRow } from '@app/administration/installation/usage-sink-row';
import type { UsageReplay } from '@app/administration/installation/usage-sinks.service';
import { checkTime } from '@app/domain/common/field-checks';
import { BooleanField, CheckedField } from '../http/fields';
import { ReasonBody } from '../http/reason';

export class ReplayUsageBody extends ReasonBody {
  /** The first line that is sent again is the first since then. */
  @CheckedField(checkTime)
  from: string;

  /** That Stripe may count lines twice that it does not recognise any more. */
  @BooleanField({ optional: true })
  confirm?: boolean;
}

export function toReplay({
  from,
  confirm = false,
}: ReplayUsageBody): Pick<UsageReplay, 'from' | 'confirmed'> {
  return { from: new Date(from), confirmed: confirm };
}

export interface UsageSinkResponse extends ReturnType<typeof toUsageSinkRow> {}

export function toUsageSinkResponse(...state: Parameters<typeof toUsageSinkRow>): UsageSinkResponse {
  return toUsageSinkRow(...state);
}
