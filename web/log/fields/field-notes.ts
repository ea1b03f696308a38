/*
 * The fields of the best-known ArduPilot records: names of tables, then a line for each field.
 * Units and multipliers are in the log itself, and MAVLink names explain themselves.
 * Loaded after the first plots are drawn.
 */
const TEXT = `
ATT ANG
DesRoll=roll desired by the controller
Roll=roll as estimated, right side down is positive
DesPitch=pitch desired by the controller
Pitch=pitch as estimated, nose up is positive
DesYaw=heading desired by the controller
Yaw=heading as estimated, clockwise from north
ErrRP=error of roll and pitch, as estimated
ErrYaw=error of the heading, as estimated
AEKF=which estimator is in use
Dt=time since the controller last ran

AHR2 SIM NKF1 XKF1 DCM
Roll=roll, right side down is positive
Pitch=pitch, nose up is positive
Yaw=heading, clockwise from north
Alt=altitude above the sea
Lat=latitude
Lng=longitude
VN=velocity northwards
VE=velocity eastwards
VD=velocity downwards
dPD=velocity downwards from the change of the position
PN=position north of the origin
PE=position east of the origin
PD=position below the origin
GX=bias of the gyroscope about the roll axis
GY=bias of the gyroscope about the pitch axis
GZ=bias of the gyroscope about the yaw axis
OH=height of the origin above the ellipsoid
ErrRP=error of roll and pitch
ErrYaw=error of the heading
VWN=wind northwards
VWE=wind eastwards
VWD=wind downwards
SAs=synthetic airspeed (computed, not measured)

NKF2 XKF2
AX=bias of the accelerometer, forwards
AY=bias of the accelerometer, to the right
AZ=bias of the accelerometer, downwards
VWN=wind northwards
VWE=wind eastwards
MN=magnetic field of the earth, north
ME=magnetic field of the earth, east
MD=magnetic field of the earth, down
MX=magnetic field of the vehicle, forwards
MY=magnetic field of the vehicle, to the right
MZ=magnetic field of the vehicle, downwards

NKF3 XKF3
IVN=innovation of the velocity northwards
IVE=innovation of the velocity eastwards
IVD=innovation of the velocity downwards
IPN=innovation of the position, north
IPE=innovation of the position, east
IPD=innovation of the height
IMX=innovation of the compass, forwards
IMY=innovation of the compass, to the right
IMZ=innovation of the compass, downwards
IYAW=innovation of the heading
IVT=innovation of the airspeed

NKF4 XKF4
SV=velocity against its gate: above 1 measurements are rejected
SP=position against its gate: above 1 measurements are rejected
SH=height against its gate: above 1 measurements are rejected
SM=compass against its gate: above 1 measurements are rejected
SVT=airspeed against its gate: above 1 measurements are rejected
errRP=error of roll and pitch
OFN=latest jump of the position northwards
OFE=latest jump of the position eastwards
FS=faults of the filter, as bits
TS=measurements that timed out, as bits
SS=what the filter knows, as bits
GPS=checks of the GPS, as bits
PI=number of the estimator that is in use

RATE
RDes=roll rate desired
R=roll rate
ROut=roll output to the motors, -1 to 1
PDes=pitch rate desired
P=pitch rate
POut=pitch output to the motors, -1 to 1
YDes=yaw rate desired
Y=yaw rate
YOut=yaw output to the motors, -1 to 1
ADes=vertical acceleration desired
A=vertical acceleration
AOut=throttle output, 0 to 1

PIDR PIDP PIDY PIDA PIDS PIDN PIDE
Tar=target of the loop
Act=measured value
Err=error: target minus measured value
P=proportional part of the output
I=integral part of the output
D=derivative part of the output
FF=feed-forward part of the output
DFF=feed-forward of the target's derivative
Dmod=factor on the gains against oscillation
SRate=slew rate that limits the gains
Flags=limits that hold, as bits

CTUN
ThI=throttle of the pilot
ABst=throttle added for the lean angle
ThO=throttle to the motors
ThH=throttle that would hover, as learned
DAlt=altitude desired
Alt=altitude as estimated
BAlt=altitude of the barometer
DSAlt=height above the surface desired
SAlt=height above the surface by the rangefinder
TAlt=height above terrain
DCRt=climb rate desired
CRt=climb rate
NavRoll=roll desired by navigation
NavPitch=pitch desired by navigation
As=airspeed

GPS GPS2
Status=0 none, 1 no fix, 2 2D, 3 3D, 4 DGPS, 5 RTK float, 6 RTK fixed
GMS=milliseconds of the GPS week
GWk=GPS week
NSats=satellites in use
HDop=horizontal dilution: below 1 is good, above 2 is poor
Lat=latitude
Lng=longitude
Alt=altitude above the sea
Spd=speed over ground
GCrs=course over ground
VZ=velocity downwards
Yaw=heading by two antennas, 0 if none
U=whether this receiver is in use

GPA
VDop=vertical dilution
HAcc=horizontal accuracy, as the receiver reports
VAcc=vertical accuracy, as the receiver reports
SAcc=accuracy of the speed, as the receiver reports
YAcc=accuracy of the heading, as the receiver reports
VV=whether there is a vertical velocity
SMS=time since boot when the fix came
Delta=time since the fix before

BAT BAT2 CURR CURR2
Volt=voltage
VoltR=voltage without load, estimated
Curr=current
CurrTot=charge used since boot
EnrgTot=energy used since boot
Temp=temperature
Res=internal resistance, as estimated
RemPct=charge remaining
H=whether the battery monitor is healthy
SH=state of health

BARO BAR2 BAR3
Alt=altitude above where it was calibrated
AltAMSL=altitude above the sea
Press=pressure
Temp=temperature of the sensor
CRt=climb rate
SMS=time since boot of the sample
Offset=correction of the altitude
GndTemp=temperature at the ground
H=whether the sensor is healthy
CPress=pressure after corrections

MAG MAG2 MAG3
MagX=field forwards
MagY=field to the right
MagZ=field downwards
OfsX=offset forwards
OfsY=offset to the right
OfsZ=offset downwards
MOX=offset forwards for the motors
MOY=offset to the right for the motors
MOZ=offset downwards for the motors
Health=whether the compass is healthy
S=time since boot of the sample

IMU IMU2 IMU3
GyrX=rotation rate about the roll axis
GyrY=rotation rate about the pitch axis
GyrZ=rotation rate about the yaw axis
AccX=acceleration forwards
AccY=acceleration to the right
AccZ=acceleration downwards, about -9.8 at rest
EG=errors of the gyroscope
EA=errors of the accelerometer
T=temperature of the sensor
GH=whether the gyroscope is healthy
AH=whether the accelerometer is healthy
GHz=sample rate of the gyroscope
AHz=sample rate of the accelerometer

VIBE
VibeX=vibration forwards and back: below 30 is good
VibeY=vibration sideways: below 30 is good
VibeZ=vibration up and down: below 30 is good
Clip=how often the accelerometer reached its limit
Clip0=how often the first accelerometer reached its limit
Clip1=how often the second accelerometer reached its limit
Clip2=how often the third accelerometer reached its limit

ESC
RPM=rotation speed
RawRPM=rotation speed before smoothing
Volt=voltage
Curr=current
Temp=temperature of the controller
CTot=charge used
MotTemp=temperature of the motor
Err=share of errors on the telemetry line

MOTB
LiftMax=thrust that the battery still allows, of 1
BatVolt=voltage without load, smoothed, of MOT_BAT_VOLT_MAX as 1
ThLimit=throttle limit by the current, of 1
ThrAvMx=greatest average of the throttle that leaves control
ThrOut=throttle output

PSCN PSCE PSCD
DPN=position north desired
DPE=position east desired
DPD=position downwards desired
TPN=position north target of the loop
TPE=position east target of the loop
TPD=position downwards target of the loop
PN=position north of the origin
PE=position east of the origin
PD=position below the origin
DVN=velocity north desired
DVE=velocity east desired
DVD=velocity downwards desired
TVN=velocity north target of the loop
TVE=velocity east target of the loop
TVD=velocity downwards target of the loop
VN=velocity northwards
VE=velocity eastwards
VD=velocity downwards
DAN=acceleration north desired
DAE=acceleration east desired
DAD=acceleration downwards desired
AN=acceleration northwards
AE=acceleration eastwards
AD=acceleration downwards

POS ORGN
Lat=latitude
Lng=longitude
Alt=altitude above the sea
RelHomeAlt=altitude above home
RelOriginAlt=altitude above the origin

PM
NLon=slow loops
NL=loops
MaxT=longest loop
Mem=free memory
Load=load of the processor
InE=internal errors, as bits
ErC=how many internal errors
LR=loops a second
I2CC=transfers on I2C
SPIC=transfers on SPI

POWR
Vcc=voltage of the board
VServo=voltage of the servo rail
Flags=state of the supplies, as bits
MVolt=voltage of the processor
MTemp=temperature of the processor

RCIN RCI2
*=input channel: stick or switch of the pilot

RCOU RCO2
*=output channel: PWM to a motor or servo

MODE
Mode=mode number
ModeNum=mode number
Rsn=why it changed, as a number

CMD
CTot=items of the mission
CNum=number of the item
CId=what the item does, a number of MAV_CMD
Lat=latitude of the item
Lng=longitude of the item
Alt=altitude of the item

ARM
ArmState=whether it is armed
ArmChecks=checks that were made, as bits
Forced=whether it was forced
Method=method, as a number

DSF
Dp=how often there was no room to write
Bytes=bytes that were written
FMn=least room in the buffer
FMx=greatest room in the buffer
FAv=average room in the buffer

RFND
Dist=distance
Stat=state of the sensor
Orient=direction that it faces
Quality=quality of the signal

ARSP
Airspeed=airspeed
DiffPress=differential pressure
Temp=temperature
RawPress=differential pressure before its offset
Offset=offset of the pressure
U=whether it is in use
`;

/** What all tables have. */
const COMMON: Readonly<Record<string, string>> = {
  TimeUS: 'microseconds since boot',
  TimeMS: 'milliseconds since boot',
  time_boot_ms: 'milliseconds since boot',
  time_usec: 'microseconds since boot, or of UTC',
};

/** A few words about a field, '' if none. */
export type FieldNotes = (table: string, field: string) => string;

/** Reads the notes above. */
export function fieldNotes(): FieldNotes {
  const notes = new Map<string, string>();
  for (const part of TEXT.trim().split('\n\n')) {
    const [tables, ...lines] = part.split('\n');
    for (const table of tables.split(' '))
      for (const line of lines) notes.set(`${table}.${line.split('=', 1)[0]}`, line.slice(line.indexOf('=') + 1));
  }
  return (table, field) => {
    if (Object.hasOwn(COMMON, field)) return COMMON[field];
    // channels have a number each
    const every = /^C\d+$/.test(field) ? notes.get(`${table}.*`) : undefined;
    return notes.get(`${table}.${field}`) ?? every ?? '';
  };
}
