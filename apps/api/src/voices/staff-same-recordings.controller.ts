import { BlockedRecordingsService } from '@app/administration/voices/blocked-recordings.service';
import { Controller, Delete, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import { Action, type ActionByStaff } from '../http/change';
import { PageQuery, type Page } from '../http/pagination';
import { RequireStaff } from '../http/staff-access';
import { SameRecordingsService } from './same-recordings.service';
import { SameSpeakerService } from './same-speaker.service';
import {
  toBlockedVoiceResponse,
  toSameRecordingsResponse,
  toSameSpeakerResponse,
  type BlockedVoiceResponse,
  type SameRecordingsResponse,
  type SameSpeakerResponse,
} from './staff-same-recordings.dto';

@Controller('admin')
export class StaffSameRecordingsController {
  constructor(
    private readonly same: SameRecordingsService,
    private readonly speakers: SameSpeakerService,
    private readonly blockedRecordings: BlockedRecordingsService,
  ) {}

  /** The most alike first, up to 100: the same bytes, or the same recording encoded differently. */
  @Get('voices/:voice_id/same-recordings') // Get the voices with the same recording
  @RequireStaff('voices.read')
  async get(@Param('voice_id') voiceId: string): Promise<SameRecordingsResponse> {
    return toSameRecordingsResponse(await this.same.of(voiceId));
  }

  /** Voices in which the same person seems to speak, up to 50, according to a model of speakers (`SPEAKER_MODEL_PATH`). */
  @Get('voices/:voice_id/same-speaker') // List voices in which the same person seems to speak
  @RequireStaff('voices.read')
  async getSpeaker(@Param('voice_id') voiceId: string): Promise<SameSpeakerResponse> {
    return toSameSpeakerResponse(await this.speakers.of(voiceId));
  }

  /** A later voice with one of these recordings waits at the review desk, or is held (`NO_GO_ACTION`). */
  @Post('voices/:voice_id/no-go') // Put the recordings of a voice on the no-go list
  @HttpCode(200)
  @RequireStaff('voices.review')
  async add(
    @Param('voice_id') voiceId: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<SameRecordingsResponse> {
    await this.blockedRecordings.add(actor, voiceId, reason);
    return toSameRecordingsResponse(await this.same.of(voiceId));
  }

  @Get('no-go-voices') // List the voices whose recordings are not let back
  @RequireStaff('voices.read')
  async list(@Query() query: PageQuery): Promise<Page<BlockedVoiceResponse>> {
    const page = await this.same.list(query);
    return { ...page, items: page.items.map(toBlockedVoiceResponse) };
  }

  /** The voice itself may have been deleted since. */
  @Delete('no-go-voices/:voice_id') // Take the recordings of a voice off the no-go list
  @HttpCode(204)
  @RequireStaff('voices.review')
  async remove(
    @Param('voice_id') voiceId: string,
    @Action() { actor, reason }: ActionByStaff,
  ): Promise<void> {
    await this.blockedRecordings.remove(actor, voiceId, reason);
  }
}
