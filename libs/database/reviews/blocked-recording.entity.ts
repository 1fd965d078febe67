import { Column, Entity, Index, PrimaryColumn } from 'typeorm';
import { SetByStaff } from '../common/set-by-staff';

/** A recording that staff do not let back. It outlives its voice, its audio and its account. */
@Entity('no_go_recording')
@Index('no_go_recording_audio_idx', ['audioDigest'])
@Index('no_go_recording_keys_idx', { synchronize: false })
export class BlockedRecording extends SetByStaff {
  /** The voice that it was found in. */
  @PrimaryColumn('text')
  voiceId: string;

  @PrimaryColumn('text')
  audioDigest: string;

  /** Null when the recording had none: then only the same bytes are found. */
  @Column('bytea', { nullable: true })
  steps: Buffer | null;

  @Column('int', { array: true })
  keys: number[];

  @Column('text')
  voiceName: string;

  @Column('uuid')
  accountId: string;
}
