import { AppConfig } from '@app/config/app-config';
import { StaffRepository } from '@app/database/staff/staff.repository';
import { totpStepOf } from '@app/domain/staff/totp';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { UNKNOWN_PASSWORD, verifyPassword } from '@app/administration/staff/password-hash';
import { SignInLibrary } from './sign-in-library';

/** Checks what staff prove themselves with. */
@Injectable()
export class StaffCredentials {
  constructor(
    private readonly staff: StaffRepository,
    private readonly library: SignInLibrary,
    private readonly config: AppConfig,
  ) {}

  /**
   * Whether a password signs this person in. One query and one hash for every person: neither the time nor the response says
   * whether there is such a person, or why they may not sign in.
   */
  async signsIn(email: string, password: string): Promise<boolean> {
    const record = await this.staff.findPassword(email, this.config.passwordSignIn === 'off');
    const isRight = await verifyPassword({ hash: record?.passwordHash ?? UNKNOWN_PASSWORD, password });
    return isRight && record !== null;
  }

  async isPasswordOf(memberId: string, password: string): Promise<boolean> {
    const hash = await this.staff.findPasswordHash(memberId);
    return hash !== null && (await verifyPassword({ hash, password }));
  }

  /**
   * Whether a code of the authenticator app is right and was not used before. It is used up then, with all codes before it:
   * two requests with one code, even at once, are one use.
   */
  async useCode(memberId: string, code: string, em?: EntityManager): Promise<boolean> {
    const sealed = await this.staff.findSecondFactorSecret(memberId, em);
    if (sealed === null) return false;
    const secret = Buffer.from(await this.library.decrypt(sealed));
    const step = totpStepOf(secret, code, Date.now());
    return step !== null && this.staff.useSecondFactorStep(memberId, step, em);
  }
}
