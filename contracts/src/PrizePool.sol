// SPDX-License-Identifier: MIT
pragma solidity ^0.8.30;

import {Ownable, Ownable2Step} from "@openzeppelin/contracts/access/Ownable2Step.sol";
import {IERC20} from "@openzeppelin/contracts/token/ERC20/IERC20.sol";
import {SafeERC20} from "@openzeppelin/contracts/token/ERC20/utils/SafeERC20.sol";
import {Address} from "@openzeppelin/contracts/utils/Address.sol";
import {ReentrancyGuard} from "@openzeppelin/contracts/utils/ReentrancyGuard.sol";

/// @notice What the pool needs of a Uniswap v2 router.
interface ISwapRouter {
    function swapETHForExactTokens(uint256 amountOut, address[] calldata path, address to, uint256 deadline)
        external
        payable
        returns (uint256[] memory amounts);
}

/// @title Where lootboxes are paid, and their prizes come from
/// @notice Takes plain transfers of the chain's own coin, and pays each prize once, by its id: in that coin, in
/// tokens it holds, or in tokens that it buys on the router and has sent straight to the winner.
///
/// Trust: the payer says what was won, and is trusted with all that is there; its key is the one to guard. The
/// owner can take out what is there too, winners' prizes that are not paid yet included.
contract PrizePool is Ownable2Step, ReentrancyGuard {
    using SafeERC20 for IERC20;

    /// @notice The only account that pays prizes.
    address public payer;

    ISwapRouter public immutable ROUTER;

    mapping(bytes32 id => bool) public isPaid;

    event Received(address indexed from, uint256 amount);
    event Paid(bytes32 indexed id, address indexed to, address indexed token, uint256 amount);
    event PayerChanged(address payer);
    event Withdrawn(address indexed to, address indexed token, uint256 amount);

    error NotPayer();
    error ZeroAddress();
    error AlreadyPaid(bytes32 id);
    error NotPaid(uint256 amount);
    error NeedsOwner();

    /// @dev Before anything is sent, so that nobody who is paid can be paid again from within.
    modifier once(bytes32 id) {
        require(msg.sender == payer, NotPayer());
        require(!isPaid[id], AlreadyPaid(id));
        isPaid[id] = true;
        _;
    }

    constructor(address owner_, address payer_, ISwapRouter router) Ownable(owner_) {
        _setPayer(payer_);
        ROUTER = router;
    }

    /// @notice Payments, what the house adds, and what the router gives back of a swap.
    receive() external payable {
        emit Received(msg.sender, msg.value);
    }

    function payNative(bytes32 id, address to, uint256 amount) external nonReentrant once(id) {
        emit Paid(id, to, address(0), amount);
        _give(to, amount);
    }

    function payToken(bytes32 id, IERC20 token, address to, uint256 amount) external nonReentrant once(id) {
        emit Paid(id, to, address(token), amount);
        token.safeTransfer(to, amount);
    }

    /// @notice Buys exactly `amount` of the last token of `path` for at most `maxIn` wei, for `to`.
    /// @param deadline in seconds
    function paySwap(
        bytes32 id,
        address[] calldata path,
        address to,
        uint256 amount,
        uint256 maxIn,
        uint256 deadline
    ) external nonReentrant once(id) {
        emit Paid(id, to, path[path.length - 1], amount);
        // It pays exactly or reverts; what it gives back comes in by receive().
        ROUTER.swapETHForExactTokens{value: maxIn}(amount, path, to, deadline);
    }

    function setPayer(address payer_) external onlyOwner {
        _setPayer(payer_);
    }

    /// @notice Takes out the chain's own coin (the zero address) or a token.
    function withdraw(address token, address payable to, uint256 amount) external onlyOwner nonReentrant {
        require(to != address(0), ZeroAddress());
        emit Withdrawn(to, token, amount);
        if (token == address(0)) Address.sendValue(to, amount);
        else IERC20(token).safeTransfer(to, amount);
    }

    /// @notice Nobody could name another payer or take out what is left any more, so there is always an owner.
    function renounceOwnership() public view override onlyOwner {
        revert NeedsOwner();
    }

    /// @dev Without running the winner's code, which could take coins when it is tried and refuse them when
    /// it counts, at the payer's cost, for ever: a contract that is gone once it is made leaves what it was
    /// made with to `to` (PUSH20 to, SELFDESTRUCT).
    function _give(address to, uint256 amount) private {
        address made;
        assembly ("memory-safe") {
            mstore(0, to)
            mstore8(11, 0x73)
            mstore8(32, 0xff)
            made := create(amount, 11, 22)
        }
        require(made != address(0), NotPaid(amount));
    }

    function _setPayer(address payer_) private {
        require(payer_ != address(0), ZeroAddress());
        payer = payer_;
        emit PayerChanged(payer_);
    }
}
