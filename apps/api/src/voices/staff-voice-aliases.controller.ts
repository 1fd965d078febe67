import { byStaff } from '@app/administration/audit/audit-actors';
import { VoiceAliasesService } from '@app/administration/voices/voice-aliases.service';
import type { ExpectedVersion } from '@app/domain/common/version';
import type { Staff } from '@app/domain/staff/staff';
import { checkAliases } from '@app/domain/voices/voice-alias';
import { Body, Controller, Param, Put } from '@nestjs/common';
import { IfMatch } from '../http/etag';
import { CheckedField } from '../http/fields';
import { ReasonBody } from '../http/reason';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { StaffVoiceReader } from './staff-voice-reader.service';
import { toStaffVoiceDetail, type StaffVoiceDetailResponse } from './staff-voice.dto';

export class VoiceAliasesBody extends ReasonBody {
  /** All of them, ids of 20 letters and digits; those that are not here are removed. */
  @CheckedField(checkAliases)
  aliases: string[];
}

@Controller('admin/voices')
export class StaffVoiceAliasesController {
  constructor(
    private readonly aliases: VoiceAliasesService,
    private readonly voices: StaffVoiceReader,
  ) {}

  /** Programs of the account that have such an id built in speak with this voice. Other accounts do not find it. */
  @Put(':voice_id/aliases') // Set the aliases of a voice
  @RequireStaff('accounts.write')
  async set(
    @CurrentStaff() staff: Staff,
    @Param('voice_id') voiceId: string,
    @IfMatch() expected: ExpectedVersion,
    @Body() { aliases, reason }: VoiceAliasesBody,
  ): Promise<StaffVoiceDetailResponse> {
    await this.aliases.set({ actor: byStaff(staff), voiceId, expected, reason }, aliases);
    return toStaffVoiceDetail(await this.voices.get(voiceId));
  }
}
