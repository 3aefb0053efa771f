// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC1271} from "@openzeppelin/contracts/interfaces/IERC1271.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {IERC20Permit} from "@openzeppelin/contracts/token/ERC20/extensions/IERC20Permit.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {ECDSA} from "@openzeppelin/contracts/utils/cryptography/ECDSA.sol";
import {EIP712} from "@openzeppelin/contracts/utils/cryptography/EIP712.sol";
import {Pausable} from "@openzeppelin/contracts/utils/Pausable.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @title Vault of the tokens behind the chips
/// @notice Holds players' deposits and the house's funds, in ETH (the zero address) and USDG.
/// Amounts are in the token's smallest unit.
///
/// Trust: chips change hands off chain, so the vault can't know who owns them. It pays in a player's name
/// only with that player's signature, but its holdings are one pot: the relayer can use an address of its
/// own as a player and sign for all of it. So the relayer is trusted with everything and its key must be
/// guarded; the vault only limits it to the recorded books. The relayer also states how much the house has
/// won. The owner alone can withdraw only the house's share by that statement. The owner can pause, and must
/// announce a new relayer two days ahead, during which the current one can still pay. An announcement lapses after
/// nine days.
contract Vault is Ownable2Step, Pausable, ReentrancyGuard, EIP712 {
    using SafeERC20 for IERC20;

    /// @notice Totals of one token since deployment. Tokens that arrive in any other way count in none of
    /// them and are never paid out.
    struct Books {
        uint256 deposited;
        uint256 withdrawn;
        uint256 funded;
        uint256 houseWithdrawn;
        /// The house's total winnings from players; negative after a loss.
        int256 houseResult;
        /// When the relayer last recorded the result, in unix seconds.
        uint256 houseResultAt;
    }

    bytes32 public constant WITHDRAW_TYPEHASH =
        keccak256("Withdraw(address player,address token,uint256 amount,uint256 nonce)");

    /// @notice How long a recorded result allows the house to withdraw, in seconds. Bets continue meanwhile,
    /// so an older result may be wrong.
    uint256 public constant HOUSE_RESULT_TTL = 1 hours;

    /// @notice The delay between the announcement of a new relayer and its takeover, in seconds.
    uint256 public constant RELAYER_DELAY = 2 days;

    /// @notice How long after that delay the announced relayer may take over, in seconds. Later it needs a new
    /// announcement: a forgotten one would let its key take everything at any time, without a warning.
    uint256 public constant RELAYER_WINDOW = 7 days;

    /// @notice The most gas a contract wallet may use to check its signature (ERC-1271). A passkey takes
    /// 200,000 to 350,000. Bounded because the relayer pays for it.
    uint256 public constant SIGNATURE_GAS = 400_000;

    /// @notice The most gas a contract may use to receive ETH, including the call's stipend.
    uint256 public constant RECEIVE_GAS = 60_000;

    address public constant ETH = address(0);

    /// @dev The EVM adds this gas to every call that carries value.
    uint256 private constant CALL_STIPEND = 2_300;

    /// @dev An upper bound on the cost of a call itself: access to a cold account and to the account it
    /// delegates to (EIP-7702), and the transfer of value.
    uint256 private constant CALL_OVERHEAD = 13_000;

    /// @notice The only ERC-20 token that the vault accepts.
    IERC20 public immutable USDG;

    /// @notice The only account that can pay withdrawals, burn nonces and record the house's result.
    address public relayer;

    /// @notice The account announced as the next relayer, and from when it may take over, in unix seconds. Both
    /// stay after RELAYER_WINDOW, when the announcement no longer has an effect.
    address public nextRelayer;
    uint256 public nextRelayerFrom;

    /// @notice The nonce of each player's next withdrawal.
    mapping(address player => uint256) public nonces;

    mapping(address token => Books) public books;

    /// @notice The number of pauses so far.
    uint256 public pauses;

    /// @notice The pause, counted from 1, in which the relayer last burned a player's nonce; 0 if none.
    mapping(address player => uint256) public burnedInPause;

    event Deposited(address indexed player, address indexed token, uint256 amount);
    event Funded(address indexed from, address indexed token, uint256 amount);
    event Withdrawn(address indexed player, address indexed token, uint256 amount, uint256 nonce);
    event NonceBurned(address indexed player, uint256 nonce);
    event HouseResultRecorded(address indexed token, int256 result);
    event HouseWithdrawn(address indexed to, address indexed token, uint256 amount);
    event RelayerAnnounced(address relayer, uint256 from);
    event RelayerChanged(address relayer);

    error NotRelayer();
    error ZeroAddress();
    error ZeroAmount();
    error UnknownToken(address token);
    /// @notice The value sent or the tokens received differ from the amount.
    error WrongAmount(uint256 expected, uint256 received);
    error WrongNonce(uint256 expected);
    error WrongSignature();
    /// @notice The transaction has too little gas to give the called contract its full allowance.
    error TooLittleGas();
    /// @notice During a pause, only one nonce per player can be burned.
    error AlreadyBurnedInPause();
    error AboveVault(uint256 available);
    error AboveHouseFunds(uint256 available);
    error HouseResultTooOld(uint256 recordedAt);
    error ResultOutOfBounds();
    error TransferFailed();
    error NotNextRelayer();
    error TooEarly(uint256 from);
    /// @notice The announcement has lapsed: the owner must announce the relayer again.
    error TooLate(uint256 until);
    error NeedsOwner();

    modifier onlyRelayer() {
        require(msg.sender == relayer, NotRelayer());
        _;
    }

    modifier movesKnownToken(address token, uint256 amount) {
        require(token == ETH || token == address(USDG), UnknownToken(token));
        require(amount > 0, ZeroAmount());
        _;
    }

    constructor(address owner_, address relayer_, IERC20 usdg) Ownable(owner_) EIP712("FairhouseVault", "1") {
        require(address(usdg) != address(0), ZeroAddress());
        USDG = usdg;
        _setRelayer(relayer_);
    }

    /// @notice Deposits `amount` for the caller. The service then credits the chips.
    function deposit(address token, uint256 amount) external payable {
        _deposit(token, amount);
    }

    /// @notice Deposits with an EIP-2612 permit instead of an allowance. A permit that someone else has
    /// already submitted does no harm, because it has set the allowance.
    function depositWithPermit(address token, uint256 amount, uint256 deadline, uint8 v, bytes32 r, bytes32 s)
        external
    {
        require(token == address(USDG), UnknownToken(token));
        try IERC20Permit(token).permit(msg.sender, address(this), amount, deadline, v, r, s) {} catch {}
        _deposit(token, amount);
    }

    /// @notice Adds `amount` to the house's funds. Anyone can call this, even during a pause: a shortfall can be
    /// the reason for the pause.
    function fund(address token, uint256 amount) external payable nonReentrant movesKnownToken(token, amount) {
        books[token].funded += amount;
        _receive(token, amount);
        emit Funded(msg.sender, token, amount);
    }

    /// @notice Pays a withdrawal that the player has signed. Uses up the nonce before any external call.
    /// SIGNATURE_GAS and RECEIVE_GAS bound the gas of the player's own code.
    function withdraw(address player, address token, uint256 amount, uint256 nonce, bytes calldata signature)
        external
        onlyRelayer
        whenNotPaused
        nonReentrant
        movesKnownToken(token, amount)
    {
        _useNonce(player, nonce);
        bytes32 digest = _hashTypedDataV4(keccak256(abi.encode(WITHDRAW_TYPEHASH, player, token, amount, nonce)));
        require(_isSignedBy(player, digest, signature), WrongSignature());
        uint256 available = holdings(token);
        require(amount <= available, AboveVault(available));
        books[token].withdrawn += amount;
        _send(player, token, amount);
        emit Withdrawn(player, token, amount, nonce);
    }

    /// @notice Invalidates a player's signature over `nonce`. Works during a pause, so that the chips of an
    /// unpayable withdrawal can be returned, but only once per player and pause. That is enough: a wallet
    /// has at most one withdrawal in progress, and the service accepts none during a pause. A stolen relayer
    /// key, the likeliest reason for a pause, therefore can't void a player's signatures one after another.
    /// A daily limit on all burns would let it aim every burn at one player, and could make honest
    /// withdrawals wait for days.
    function burnNonce(address player, uint256 nonce) external onlyRelayer {
        _useNonce(player, nonce);
        if (paused()) {
            require(burnedInPause[player] != pauses, AlreadyBurnedInPause());
            burnedInPause[player] = pauses;
        }
        emit NonceBurned(player, nonce);
    }

    /// @notice Records the house's total winnings so far, as stated by the relayer. It is a total, not a
    /// change, so recording it twice does no harm and deposits or withdrawals don't make it wrong. Refused during
    /// a pause: a stolen relayer key could make the players' share look like the house's, or the house's like the
    /// players'. The bound keeps the sums with it from overflowing.
    function recordHouseResult(address token, int256 result) external onlyRelayer whenNotPaused {
        require(result >= type(int128).min && result <= type(int128).max, ResultOutOfBounds());
        Books storage book = books[token];
        book.houseResult = result;
        book.houseResultAt = block.timestamp;
        emit HouseResultRecorded(token, result);
    }

    /// @notice Withdraws from the house's share, never from the players'.
    function withdrawHouse(address token, uint256 amount, address to)
        external
        onlyOwner
        nonReentrant
        movesKnownToken(token, amount)
    {
        Books storage book = books[token];
        require(to != address(0), ZeroAddress());
        require(block.timestamp - book.houseResultAt <= HOUSE_RESULT_TTL, HouseResultTooOld(book.houseResultAt));
        uint256 available = houseFunds(token);
        require(amount <= available, AboveHouseFunds(available));
        book.houseWithdrawn += amount;
        _send(to, token, amount);
        emit HouseWithdrawn(to, token, amount);
    }

    /// @notice Announces the next relayer. The current one keeps its role until the takeover. Replaces an earlier
    /// announcement, and the zero address cancels it.
    function announceRelayer(address relayer_) external onlyOwner {
        nextRelayer = relayer_;
        nextRelayerFrom = block.timestamp + RELAYER_DELAY;
        emit RelayerAnnounced(relayer_, nextRelayerFrom);
    }

    /// @notice Makes the announced relayer the relayer, from RELAYER_DELAY after the announcement for RELAYER_WINDOW.
    /// Only the announced account can call this, which proves that its key works.
    function takeOverAsRelayer() external {
        require(msg.sender == nextRelayer, NotNextRelayer());
        require(block.timestamp >= nextRelayerFrom, TooEarly(nextRelayerFrom));
        uint256 until = nextRelayerFrom + RELAYER_WINDOW;
        require(block.timestamp <= until, TooLate(until));
        nextRelayer = address(0);
        _setRelayer(msg.sender);
    }

    /// @notice Stops deposits, players' withdrawals and the recording of results, but not `fund` or changes of the relayer.
    /// The house can still withdraw while the last result is recent.
    function pause() external onlyOwner {
        _pause();
        pauses++;
    }

    function unpause() external onlyOwner {
        _unpause();
    }

    /// @notice Always reverts: without an owner, nobody could unpause the vault.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @notice Returns the vault's holdings according to its books.
    function holdings(address token) public view returns (uint256) {
        Books storage book = books[token];
        return book.deposited + book.funded - book.withdrawn - book.houseWithdrawn;
    }

    /// @notice Returns the players' share: deposits less withdrawals less the house's latest recorded result,
    /// at least zero.
    function playerFunds(address token) public view returns (uint256) {
        Books storage book = books[token];
        int256 owed = int256(book.deposited) - int256(book.withdrawn) - book.houseResult;
        return owed > 0 ? uint256(owed) : 0;
    }

    /// @notice Returns the house's share: the holdings beyond the players' share.
    function houseFunds(address token) public view returns (uint256) {
        (uint256 all, uint256 players) = (holdings(token), playerFunds(token));
        return all > players ? all - players : 0;
    }

    function _deposit(address token, uint256 amount)
        private
        whenNotPaused
        nonReentrant
        movesKnownToken(token, amount)
    {
        books[token].deposited += amount;
        _receive(token, amount);
        emit Deposited(msg.sender, token, amount);
    }

    function _useNonce(address player, uint256 nonce) private {
        uint256 expected = nonces[player];
        require(nonce == expected, WrongNonce(expected));
        nonces[player] = expected + 1;
    }

    function _receive(address token, uint256 amount) private {
        if (token == ETH) {
            require(msg.value == amount, WrongAmount(amount, msg.value));
            return;
        }
        require(msg.value == 0, WrongAmount(0, msg.value));
        uint256 before = USDG.balanceOf(address(this));
        USDG.safeTransferFrom(msg.sender, address(this), amount);
        uint256 received = USDG.balanceOf(address(this)) - before;
        require(received == amount, WrongAmount(amount, received));
    }

    /// @dev Works like OpenZeppelin's SignatureChecker, but with bounded gas, and a key always counts: an account
    /// that delegates to code (EIP-7702) still obeys its key, and the code may not know ERC-1271. Any other account
    /// with code decides itself (ERC-1271). A call gets at most 63/64 of the remaining gas (EIP-150), so a refusal
    /// counts only if the wallet could have had all of SIGNATURE_GAS.
    function _isSignedBy(address player, bytes32 digest, bytes calldata signature) private view returns (bool) {
        (address signer, ECDSA.RecoverError problem,) = ECDSA.tryRecoverCalldata(digest, signature);
        if (problem == ECDSA.RecoverError.NoError && signer == player) return true;
        if (player.code.length == 0) return false;
        bytes memory question = abi.encodeCall(IERC1271.isValidSignature, (digest, signature));
        bool isAnswered;
        bytes32 answer;
        uint256 gasBefore = gasleft();
        assembly ("memory-safe") {
            isAnswered := staticcall(SIGNATURE_GAS, player, add(question, 0x20), mload(question), 0, 0x20)
            isAnswered := and(isAnswered, gt(returndatasize(), 0x1f))
            answer := mload(0)
        }
        if (isAnswered && answer == bytes32(IERC1271.isValidSignature.selector)) return true;
        require(gasBefore >= _gasToPassOn(SIGNATURE_GAS), TooLittleGas());
        return false;
    }

    /// @dev Ignores the return data of a receiving contract, which may be very long. The contract gets all of
    /// RECEIVE_GAS or the transaction reverts: with less, it might accept the ETH and skip its own accounting.
    function _send(address to, address token, uint256 amount) private {
        if (token != ETH) return USDG.safeTransfer(to, amount);
        require(to.code.length == 0 || gasleft() >= _gasToPassOn(RECEIVE_GAS), TooLittleGas());
        bool isSent;
        assembly ("memory-safe") {
            isSent := call(sub(RECEIVE_GAS, CALL_STIPEND), to, amount, 0, 0, 0, 0)
        }
        require(isSent, TransferFailed());
    }

    /// @dev Returns the remaining gas needed for a call to pass on `amount` of gas.
    function _gasToPassOn(uint256 amount) private pure returns (uint256) {
        return (amount * 64) / 63 + CALL_OVERHEAD;
    }

    function _setRelayer(address relayer_) private {
        require(relayer_ != address(0), ZeroAddress());
        relayer = relayer_;
        emit RelayerChanged(relayer_);
    }
}
