import { Body, Controller, Get, Header, HttpCode, Post, Query, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { Form, type IncomingForm } from '../http/form';
import { PublicFormRoute, PublicRoute } from '../http/route-access';
import { CurrentStaff, CurrentVisitor, RequireSession, RequireSessionBefore } from '../http/staff-access';
import type { Staff, Visitor } from '@app/domain/staff/staff';
import { OwnSecurityService } from './own-security.service';
import {
  CallbackQuery,
  ChangePasswordBody,
  ConfirmSignInBody,
  PasswordBody,
  ProviderLogoutBody,
  SecondFactorBody,
  SignInBody,
  type MethodsResponse,
  type SecondFactorSetupResponse,
  type SignInResponse,
} from './sign-in.dto';
import { UsePasskeyBody, type PasskeyOptionsResponse } from './passkey.dto';
import { ProviderLogoutService } from './provider-logout.service';
import { SignInConfirmationService } from './sign-in-confirmation.service';
import { SignInService, type SignInStep } from './sign-in.service';
import { toMeResponse, type MeResponse } from './staff.dto';

@Controller('admin')
export class StaffSignInController {
  constructor(
    private readonly signIn: SignInService,
    private readonly security: OwnSecurityService,
    private readonly confirmation: SignInConfirmationService,
    private readonly providerLogout: ProviderLogoutService,
  ) {}

  @Get('auth/methods') // List the ways to sign in
  @PublicRoute()
  methods(): MethodsResponse {
    this.signIn.prepare();
    const { offersPassword, offersProvider, passkeyHost } = this.signIn;
    return { password: offersPassword, oidc: offersProvider, passkey_host: passkeyHost };
  }

  @Post('auth/sign-in') // Sign in with a password
  @HttpCode(200)
  @PublicRoute()
  async withPassword(
    @CurrentVisitor() visitor: Visitor,
    @Body() body: SignInBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignInResponse> {
    return signInResponse(reply, await this.signIn.withPassword(visitor, body));
  }

  @Post('auth/second-factor') // Finish signing in with the second factor
  @HttpCode(200)
  @PublicRoute()
  async withSecondFactor(
    @CurrentVisitor() visitor: Visitor,
    @Body() { code }: SecondFactorBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignInResponse> {
    return signInResponse(reply, await this.signIn.withSecondFactor(visitor, code));
  }

  /** What a browser needs to sign in with a passkey, or to confirm a sign-in; valid for five minutes. */
  @Post('auth/passkey/options') // Start to sign in with a passkey
  @HttpCode(200)
  @PublicRoute()
  async startPasskey(
    @CurrentVisitor() visitor: Visitor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<PasskeyOptionsResponse> {
    const { options, cookies } = await this.signIn.startPasskey(visitor);
    void reply.header('set-cookie', cookies);
    return { options };
  }

  @Post('auth/passkey') // Sign in with a passkey
  @HttpCode(200)
  @PublicRoute()
  async withPasskey(
    @CurrentVisitor() visitor: Visitor,
    @Body() { credential }: UsePasskeyBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<SignInResponse> {
    return signInResponse(reply, await this.signIn.withPasskey(visitor, credential));
  }

  @Post('auth/oidc') // Start to sign in with the identity provider
  @HttpCode(200)
  @PublicRoute()
  async startProvider(
    @CurrentVisitor() visitor: Visitor,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ url: string }> {
    const { url, cookies } = await this.signIn.startProvider(visitor);
    void reply.header('set-cookie', cookies);
    return { url };
  }

  @Get('auth/callback/oidc') // Finish signing in with the identity provider
  @HttpCode(302)
  @PublicRoute()
  async finishProvider(
    @CurrentVisitor() visitor: Visitor,
    @Query() query: CallbackQuery,
    @Res() reply: FastifyReply,
  ): Promise<void> {
    const { location, cookies } = await this.signIn.finishProvider(visitor, query);
    await reply.header('set-cookie', cookies).redirect(location, 302);
  }

  /** Of OpenID Connect Back-Channel Logout 1.0: the identity provider calls it. */
  @Post('auth/backchannel-logout') // End the sessions of a person whom the identity provider has signed out
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  @PublicFormRoute()
  async endByProvider(
    @Form(ProviderLogoutBody) form: IncomingForm<ProviderLogoutBody>,
  ): Promise<{ ended: number }> {
    const { logout_token: token } = await form.read();
    return { ended: await this.providerLogout.end(token) };
  }

  @Post('auth/sign-out') // Sign out
  @HttpCode(204)
  @RequireSessionBefore('anything')
  async signOut(
    @CurrentStaff() staff: Staff,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('set-cookie', await this.signIn.signOut(staff));
  }

  @Get('me') // Get who is signed in
  @RequireSessionBefore('anything')
  me(@CurrentStaff() staff: Staff): MeResponse {
    return toMeResponse(staff);
  }

  @Post('me/password') // Change the own password
  @HttpCode(204)
  @RequireSessionBefore('password')
  async changePassword(
    @CurrentStaff() staff: Staff,
    @Body() body: ChangePasswordBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const cookies = await this.security.changePassword(staff, body.current_password, body.new_password);
    void reply.header('set-cookie', cookies);
  }

  /** Proves again who is signed in, for changes that require it; valid for ten minutes. */
  @Post('me/confirm-sign-in') // Confirm who is signed in, for changes that require it
  @HttpCode(204)
  @RequireSessionBefore('second_factor')
  async confirmSignIn(@CurrentStaff() staff: Staff, @Body() body: ConfirmSignInBody): Promise<void> {
    await this.confirmation.confirm(staff, body);
  }

  /** The same with a passkey, which is also the second factor that a role may require. */
  @Post('me/confirm-sign-in/passkey') // Confirm with a passkey who is signed in
  @HttpCode(204)
  @RequireSessionBefore('passkey')
  async confirmWithPasskey(
    @CurrentStaff() staff: Staff,
    @Body() { credential }: UsePasskeyBody,
  ): Promise<void> {
    await this.confirmation.confirmWithPasskey(staff, credential);
  }

  @Post('me/second-factor') // Start to set up a second factor
  @HttpCode(200)
  @RequireSessionBefore('second_factor')
  async startSecondFactor(
    @CurrentStaff() staff: Staff,
    @Body() { password }: PasswordBody,
  ): Promise<SecondFactorSetupResponse> {
    const { totpUri, backupCodes } = await this.security.startSecondFactor(staff, password);
    return { totp_uri: totpUri, backup_codes: backupCodes };
  }

  @Post('me/second-factor/confirm') // Confirm the second factor
  @HttpCode(204)
  @RequireSessionBefore('second_factor')
  async confirmSecondFactor(
    @CurrentStaff() staff: Staff,
    @Body() { code }: SecondFactorBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('set-cookie', await this.security.confirmSecondFactor(staff, code));
  }

  @Post('me/second-factor/remove') // Remove the second factor
  @HttpCode(204)
  @RequireSession({ confirmed: true })
  async removeSecondFactor(
    @CurrentStaff() staff: Staff,
    @Body() { password }: PasswordBody,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    void reply.header('set-cookie', await this.security.removeSecondFactor(staff, password));
  }
}

function signInResponse(reply: FastifyReply, { status, cookies }: SignInStep): SignInResponse {
  void reply.header('set-cookie', cookies);
  return { status };
}
