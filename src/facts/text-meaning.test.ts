import { describe, expect, test } from 'vitest';
import { plainSenders, textMeaning } from './messages.ts';

/* Texts of real logs, with the severity that they were sent with (null: the log has none). */
describe('texts', () => {
  test.each([
    // of a telemetry log of 2013, where all is sent with 1
    ['Reached Command #1', 1, true, 'text info'],
    ['Initialising APM...', 1, true, 'text info'],
    ['barometer calibration complete', 1, true, 'text info'],
    ['Low Battery!', 1, true, 'text warning'],
    // of MAVLink as it is
    ['Radio Failsafe', 4, false, 'failsafe error'],
    ['Battery Failsafe', 4, false, 'failsafe error'],
    ['PrecLand: Failsafe Measures', 6, false, 'failsafe warning'],
    ['Failsafe activated', 2, false, 'failsafe error'],
    ['EKF Failsafe: changed to LAND Mode', 2, false, 'failsafe error'],
    ['Throttle failsafe off', 4, false, 'text notice'],
    ['EKF Failsafe Cleared', 4, false, 'text notice'],
    ['EKF3 IMU0 emergency yaw reset', 4, false, 'text warning'],
    ['EKF3 IMU0 emergency yaw reset', 6, false, 'text warning'],
    ['Crash: Disarming: AngErr=112>30, Accel=2.1<3.0', 0, false, 'text error'],
    ['PreArm: Radio failsafe on', 2, false, 'text warning'],
    ['Preflight Fail: no heading reference', 2, false, 'text warning'],
    ['Beginning INS calibration. Do not move plane', 1, false, 'text info'],
    ['Mode change to AUTO failed: init failed', 4, false, 'text warning'],
    ['Connection to ground station lost', 6, false, 'text info'],
    ['Arming motors', 6, false, 'text info'],
    ['Switching to Altitude is currently not available', 2, false, 'text warning'],
    ['Disarming denied: not landed', 2, false, 'text warning'],
    // of DataFlash logs
    ['Reached command #3', null, false, 'text info'],
    ['ArduCopter V4.6.3 (92b0cd78)', null, false, 'text info'],
    ['Config error: See console: Format definition must ', null, false, 'text error'],
    ['PreArm: Internal errors 0x100000 l:967 flow_of_ctrl', null, false, 'text warning'],
    ['Potential Thrust Loss (3)', null, false, 'text error'],
    ['Battery 1 is low 10.20V used 123 mAh', null, false, 'text warning'],
    ['GPS Glitch or Compass error', null, false, 'text error'],
    ['Failsafe. Short event on, ', null, false, 'failsafe error'],
    ['Failsafe. Short event off', null, false, 'text notice'],
    ['EKF3 IMU1 MAG0 in-flight yaw alignment complete', null, false, 'text info'],
    ['Takeoff complete at 80.7m', null, false, 'text info'],
  ] as const)('%s, sent with %s', (text, severity, isPlain, expected) => {
    const { kind, severity: found } = textMeaning(text, severity, isPlain);
    expect(`${kind} ${found}`).toBe(expected);
  });

  test('severities of a sender that sends routine as an error say nothing', () => {
    const text = (words: string, severity: number | null, stream: string) =>
      ({ time: 0, text: words, severity, offset: 0, table: 'STATUSTEXT', stream, isEvent: false }) as const;
    const texts = [
      text('Reached Command #1', 1, '1:1'),
      text('Low Battery!', 3, '1:1'),
      text('Beginning INS calibration. Do not move plane', 1, '2:1'),
      text('Reached command #1', 6, '3:1'),
      text('ArduCopter V4.6.3', null, ''),
    ];
    expect([...plainSenders(texts)]).toEqual(['STATUSTEXT 1:1']);
  });
});
