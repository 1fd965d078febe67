import { SpokenClips } from '@app/administration/voices/spoken-clips.service';
import type { Staff } from '@app/domain/staff/staff';
import { Body, Controller, HttpCode, Post, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Action, type ActionByStaff } from '../http/change';
import { clientSignal } from '../http/client-signal';
import { CurrentStaff, RequireStaff } from '../http/staff-access';
import { RecordingInspector } from '../voices/recording-inspector';
import { SpokenClipBody, toSpokenHereResponse, type SpokenHereResponse } from './spoken-clip.dto';

@Controller('admin/history')
export class StaffSpokenClipsController {
  constructor(
    private readonly clips: SpokenClips,
    private readonly inspector: RecordingInspector,
  ) {}

  /**
   * By how it sounds, also when it was encoded differently: items of all accounts. Of longer clips the first 20 s count. Each
   * search, with its reason and what it found, is in the audit log.
   */
  @Post('spoken') // Find what was spoken here by a clip of two seconds or more
  @HttpCode(200)
  @RequireStaff('voices.listen')
  async find(
    @CurrentStaff() staff: Staff,
    @Action() { actor, reason }: ActionByStaff,
    @Body() body: SpokenClipBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SpokenHereResponse> {
    const bytes = Buffer.from(body.audio_base64, 'base64');
    const clip = await this.inspector.takeClip(staff.id, bytes, clientSignal(reply));
    return toSpokenHereResponse(await this.clips.find(clip, actor, reason));
  }
}
