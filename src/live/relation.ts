import { bootedAtOf, type Identity, LATE, uidOf, type Verdict } from './identity.ts';
import { hostOf, MOVED } from './link-name.ts';
import type { Component, System } from './system.ts';
import type { LiveVehicle } from './vehicle.ts';

/** How another sender of a system id relates to a known vehicle. */
type Relation = Verdict | 'moved' | 'returned';

/** Microseconds for which a former address of a vehicle is remembered. */
const REMEMBERED = 3600e6;
/** Microseconds before an unclear conflict is reported, and after the last heartbeat of one side until it is over. */
export const UNCLEAR = 3e6;
export const CONFLICT = 10e6;
/** A vehicle that started numbers its frames from 0; some of the first may be lost. */
const NEAR_ZERO = 4;
const FAR = 16;

/** The id of a new vehicle: the system id, and where several have it, the link or the address too. */
export function freeId({ system, address }: Component, rivals: readonly LiveVehicle[]): string {
  const isTaken = (id: string): boolean => rivals.some((rival) => rival.id === id);
  const onLink = `${system.id}@${system.link}`;
  const isSameLink = rivals.some((rival) => rival.source.link === system.link);
  return (
    [String(system.id), ...(isSameLink ? [] : [onLink])].find((id) => !isTaken(id)) ??
    `${system.id}@${address || system.link}`
  );
}

/** If only the address separates two senders, one frame is not enough to be shown beside a known vehicle. */
export function isHeardTwice({ rivals, link, speaker }: LiveVehicle): boolean {
  return speaker.heartbeats > 1 || ![...rivals.keys()].some((rival) => rival.link === link);
}

/** @param timeout microseconds without a heartbeat until a vehicle is lost */
export function relationOf(
  vehicle: LiveVehicle,
  rival: LiveVehicle,
  identity: Identity,
  now: number,
  timeout: number,
): Relation {
  const [a, b] = [rival.speaker, vehicle.speaker];
  if (!rival.isShown || rival.source.link !== vehicle.source.link) return identity.verdict(a, b);
  const { lastActivity } = a;
  const { beside } = vehicle.source;
  if (lastActivity > vehicle.foundAt) beside.add(rival.source);
  if (b.heartbeats > 1 && isBack(rival, b, now)) return 'returned';
  if (beside.has(rival.source)) return identity.verdict(a, b);
  if (!identity.canBeOne(a, b)) return 'two';
  // nothing came from the old address since the new one is heard
  const patience = hostOf(a.address) === hostOf(b.address) ? MOVED : timeout;
  return now - lastActivity > patience ? 'moved' : 'unknown';
}

/** Whether a vehicle is back at an address, or with the board or the boot time, that it had before another took over. */
function isBack({ source, speaker }: LiveVehicle, other: Component, now: number): boolean {
  const [uid, bootedAt] = [uidOf(other), bootedAtOf(other)];
  return source.formers.some(
    (former) =>
      now - former.until < REMEMBERED &&
      (former.address === other.address ||
        (uid !== null && former.uid === uid && uidOf(speaker) !== uid) ||
        (Math.abs(former.bootedAt - bootedAt) <= LATE && Math.abs(bootedAtOf(speaker) - bootedAt) > LATE)),
  );
}

/** Whether a vehicle that goes on at another address was started again. */
export function isReboot(before: Component, next: Component): boolean {
  const later = bootedAtOf(next) - bootedAtOf(before);
  if (!Number.isNaN(later)) return later > LATE;
  const { firstSequence } = next;
  const ahead = (firstSequence - before.lastSequence) & 0xff;
  return firstSequence < NEAR_ZERO || (firstSequence < FAR && ahead > FAR);
}

/** Whether a vehicle that is back was started again while another sender had its place. */
export function wasRebooted({ formers }: System, next: Component): boolean {
  const uid = uidOf(next);
  const former = formers.find((each) => each.address === next.address || (uid !== null && each.uid === uid));
  const later = bootedAtOf(next) - (former?.bootedAt ?? Number.NaN);
  return Number.isNaN(later) ? next.firstSequence < NEAR_ZERO : later > LATE;
}

/** Whether both are heard and are not one. Collectors on a bus each have their own vehicles. */
export function isConflict(newer: LiveVehicle, rival: LiveVehicle, now: number): boolean {
  const isBus = [newer, rival].some(({ link }) => link.startsWith('nats:'));
  const isOld = [newer, rival].some(({ lastHeartbeat }) => !(now - lastHeartbeat < CONFLICT));
  const isClear = newer.isShown || (newer.source.beside.has(rival.source) && now - newer.foundAt > UNCLEAR);
  return !isBus && !isOld && isClear;
}

/** @param other the vehicle itself where another one sends from its address */
export function conflictText(vehicle: LiveVehicle, other: LiveVehicle): string {
  const { link, system } = vehicle;
  const { address } = other.speaker;
  if (other === vehicle)
    return `two vehicles with system id ${system} send ${address === '' ? `on ${link}` : `from ${address}`}: values are mixed`;
  const where = other.link === link ? `from ${address}` : `on ${other.link}`;
  return `system id ${system} is also used ${where}: ${other.isShown ? `shown as ${other.id}` : 'not shown'}`;
}
